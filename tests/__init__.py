"""Tests of aspectlab; each folder tests the package of its name."""
