"""Shared tasks: their files, their scorers, their baselines; one package per campaign."""
