# SPDX-License-Identifier: GPL-2.0
"""Namespaces, paths, flows, samples, metrics and reports: the one library that
every network test, path run and comparison of this project is built on."""
