"""A user's own SQL, and what is said of what goes wrong."""

from __future__ import annotations

import duckdb
import pytest

from inro.errors import UsageError
from inro.store import own_sql


def test_a_query_that_needs_too_much_memory_may_be_the_librarys_fault() -> None:
    with duckdb.connect(":memory:", config={"memory_limit": "30MB", "temp_directory": ""}) as con:
        with pytest.raises(UsageError, match="Memory") as caught:
            own_sql.ask(con, "SELECT count(*) FROM (SELECT DISTINCT md5(range::VARCHAR) FROM range(2000000))")
        assert "inro verify" in caught.value.mend
        with pytest.raises(UsageError) as caught:
            own_sql.ask(con, "SELEKT 1")
        assert "SHOW TABLES" in caught.value.mend
