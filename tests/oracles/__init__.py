"""A second opinion on bd: a reference that is slow, short and shares no code with what it judges."""
