-- no transaction
-- How deep a book fell, kept with the book as it is valued. It was added up at each look from the worth of
-- minutes, hours and days, which nothing else read: 100,000 books would leave four hundred million rows in a year.
alter table paper_books
  add column if not exists high_micro_usd int8,
  -- The deepest fall from a high before it, by its share of that high; null while it was never valued.
  add column if not exists fall_micro_usd int8,
  add column if not exists fall_from_micro_usd int8,
  -- The same with the start as the first high.
  add column if not exists max_fall_bps int4 not null default 0;

-- Some books at a time, so that none waits long for its fills.
do $$
declare
  first_id int8 := 0;
  last_id int8;
begin
  loop
    select max(id) into last_id
    from (select id from paper_books where id > first_id order by id limit 500) as part;
    exit when last_id is null;
    update paper_books b set high_micro_usd = seen.high, max_fall_bps = seen.bps, fall_micro_usd = seen.falls[1],
      fall_from_micro_usd = seen.highs[1]
    from (
      select book_id, max(high) as high, max((peak - micro_usd) * 10000 / peak)::int4 as bps,
        array_agg(high - micro_usd order by share desc nulls last) as falls,
        array_agg(high order by share desc nulls last) as highs
      from (
        select w.*, greatest(high, start_micro_usd) as peak, (high - micro_usd)::numeric / nullif(high, 0) as share
        from (
          select book_id, micro_usd, max(micro_usd) over (partition by book_id order by minute_s) as high
          from paper_equity where book_id > first_id and book_id <= last_id) as w
        join paper_books s on s.id = w.book_id) as each
      group by book_id) as seen
    where b.id = seen.book_id and b.high_micro_usd is null;
    commit;
    first_id := last_id;
  end loop;
end $$;

-- Versions before this one still write to it while they run; the table goes with a later migration.
truncate paper_equity;
