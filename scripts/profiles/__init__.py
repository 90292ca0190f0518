"""The study of privacy profiles: its cases, its engines, and the driver of an older one."""
