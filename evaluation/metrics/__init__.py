"""The formulas of measures, one module for each family. Pure."""
