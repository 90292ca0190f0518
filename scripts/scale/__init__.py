"""The parts of `bench_scale`: the naive way, the cases and how they are measured, the report, the figure."""
