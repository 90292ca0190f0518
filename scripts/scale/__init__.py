"""The parts of the study of scale: cases, the loop to compare with, one measurement, the report."""
