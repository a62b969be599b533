-- Points of a series in chunks: an hour of minutes, a day of hours, 32 days of days. The key serves both reads of
-- one series and the search for old chunks.
create table history_points (
  -- Seconds between points: 60, 3600 or 86400.
  step_s int4 not null,
  chunk_s int8 not null,
  series text collate "C" not null,
  -- Seconds after the chunk's start, ascending, and the values at them.
  offsets_s int4[] not null,
  amounts int8[] not null,
  primary key (step_s, chunk_s, series)
);
