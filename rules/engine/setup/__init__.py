"""From a scenario to its scene: every word checked, every card compiled, the moves that were stated.

May import every room from `compiler` down. Start reading at `scenario_scene.ScenarioScene`.
"""
