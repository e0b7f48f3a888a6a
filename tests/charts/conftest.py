import pytest
from hash_encoder import HashEncoder
from made_documents_for_charts import made_calibration


@pytest.fixture(scope="session")
def encoder():
    return HashEncoder()


@pytest.fixture(scope="session")
def calibration(encoder):
    return made_calibration(encoder)
