"""Every test run is reproducible: hypothesis draws the same examples each time, and no test fails for being slow.

Spark sessions of the tests stay on the loopback.
"""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci", derandomize=True, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
# New examples at each run, and more of them: HYPOTHESIS_PROFILE=search make test
settings.register_profile("search", max_examples=2000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
