-- Leaves are counted with kept plans and running sums; a leaf of a session with controls takes two statements.

-- Changes with everything that the rules of controls judge by, except new leaves, which change `sequence`.
alter table roots add column version int8 not null default 0;
-- Sum of the leaves that were signed after `day_from_ms`.
alter table roots add column day_micro_usd int8 not null default 0;
alter table roots add column day_from_ms int8 not null default 0;
update roots set day_micro_usd = s.sum
  from (select root_hash, sum(micro_usd)::int8 as sum from leaves group by root_hash) s where s.root_hash = roots.hash;

-- As in `leaves`: of the first call.
alter table order_leaves add column micro_usd int8;
update order_leaves o set micro_usd = l.micro_usd
  from leaves l where l.root_hash = o.root_hash and l.sequence = o.sequence;
alter table order_leaves alter column micro_usd set not null;
drop index order_leaves_unsigned;
create index order_leaves_unsigned on order_leaves (root_hash, first_signed_at_ms) include (micro_usd)
  where order_id is null and state is distinct from 'unused';

-- As before, with the running sum: only the leaves between its start and the window's are read, in either direction,
-- so it is exact also after the clock was set back. Array parameters would have every call planned anew, which took
-- more than half of its time.
create or replace function count_leaves(
  -- Each root once, and of each ask which of them it is for.
  root_hashes text[], ask_roots int4[],
  -- Null: it could not be valued. False: it failed before the ledger was asked.
  ask_micro_usd int8[], ask_passes boolean[], ask_touches_stock boolean[],
  -- What the owner signed. Null sequence: whichever comes next.
  ask_max_trades int4[], ask_max_day int8[], ask_sequences int4[],
  -- Null client id: its caller did not name it.
  ask_execution_hashes text[], ask_call_nonces text[], ask_client_ids text[],
  at_ms int8, day_ms int8
) returns table (
  known boolean, frozen boolean, revoked boolean, hosted boolean, closed boolean, attested boolean, replayed boolean,
  named boolean,
  -- Before this ask.
  last_sequence int4, day_micro_usd int8,
  counted boolean
) language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  is_frozen boolean;
  found_known boolean[]; found_revoked boolean[]; found_hosted boolean[]; found_closed boolean[];
  found_attested boolean[];
  sequences int4[]; days int8[];
  used_nonces text[];
  -- Root and client id, with a space between.
  used_names text[] := '{}';
  new_roots text[] := '{}'; new_sequences int4[] := '{}'; new_micro_usd int8[] := '{}';
  new_execution_hashes text[] := '{}'; new_call_nonces text[] := '{}'; new_client_ids text[] := '{}';
  r int4;
begin
  perform 1 from roots where hash = any (root_hashes) order by hash for update;
  -- A freeze waits for what is under way, and what comes after it sees it.
  select state.frozen into is_frozen from state where id = 1 for share;
  select
    array_agg(roots.hash is not null order by n),
    array_agg(exists (select from revocations where root_hash = given.hash) order by n),
    array_agg(executors.address is not null order by n),
    array_agg(executors.closed_at_ms is not null order by n),
    array_agg(exists (select from stock_attestations s where s.executor = executors.address
      and s.root_hash = given.hash and s.signature is not null and s.revoked_at_ms is null
      and s.expires_s * 1000 > at_ms) order by n),
    array_agg(coalesce(roots.sequence, 0) order by n),
    array_agg(coalesce(roots.day_micro_usd
      - coalesce((select sum(l.micro_usd)::int8 from leaves l where l.root_hash = given.hash
          and l.signed_at_ms > roots.day_from_ms and l.signed_at_ms <= at_ms - day_ms), 0)
      + coalesce((select sum(l.micro_usd)::int8 from leaves l where l.root_hash = given.hash
          and l.signed_at_ms > at_ms - day_ms and l.signed_at_ms <= roots.day_from_ms), 0), 0) order by n)
  into found_known, found_revoked, found_hosted, found_closed, found_attested, sequences, days
  from unnest(root_hashes) with ordinality as given (hash, n)
    left join roots on roots.hash = given.hash
    left join executors on executors.address = roots.executor;
  select coalesce(array_agg(call_nonce), '{}') into used_nonces
    from leaves where call_nonce = any (ask_call_nonces);
  if array_remove(ask_client_ids, null) <> '{}' then
    select coalesce(array_agg(root_hash || ' ' || client_id), '{}') into used_names
      from leaves where root_hash = any (root_hashes) and client_id = any (ask_client_ids);
  end if;

  for i in 1 .. cardinality(ask_roots) loop
    r := ask_roots[i];
    known := found_known[r];
    frozen := is_frozen;
    revoked := found_revoked[r];
    hosted := found_hosted[r];
    closed := found_closed[r];
    attested := found_attested[r];
    replayed := ask_call_nonces[i] = any (used_nonces);
    named := coalesce(root_hashes[r] || ' ' || ask_client_ids[i] = any (used_names), false);
    last_sequence := sequences[r];
    day_micro_usd := days[r];
    counted := known and ask_passes[i] and ask_micro_usd[i] is not null and not replayed and not named
      and not frozen and not revoked and not closed
      and not (ask_touches_stock[i] and hosted and not attested)
      and last_sequence < ask_max_trades[i]
      and coalesce(ask_sequences[i], last_sequence + 1) = last_sequence + 1
      and day_micro_usd + ask_micro_usd[i] <= ask_max_day[i];
    if counted then
      sequences[r] := last_sequence + 1;
      days[r] := day_micro_usd + ask_micro_usd[i];
      used_nonces := used_nonces || ask_call_nonces[i];
      if ask_client_ids[i] is not null then
        used_names := used_names || (root_hashes[r] || ' ' || ask_client_ids[i]);
      end if;
      new_roots := new_roots || root_hashes[r];
      new_sequences := new_sequences || sequences[r];
      new_micro_usd := new_micro_usd || ask_micro_usd[i];
      new_execution_hashes := new_execution_hashes || ask_execution_hashes[i];
      new_call_nonces := new_call_nonces || ask_call_nonces[i];
      new_client_ids := array_append(new_client_ids, ask_client_ids[i]);
    end if;
    return next;
  end loop;

  if cardinality(new_roots) > 0 then
    insert into leaves (root_hash, sequence, micro_usd, signed_at_ms, execution_hash, call_nonce, client_id)
      select root_hash, sequence, micro_usd, at_ms, execution_hash, call_nonce, client_id
      from unnest(new_roots, new_sequences, new_micro_usd, new_execution_hashes, new_call_nonces, new_client_ids)
        as given (root_hash, sequence, micro_usd, execution_hash, call_nonce, client_id);
    update roots set sequence = given.sequence, day_micro_usd = given.day, day_from_ms = at_ms - day_ms
      from unnest(root_hashes, sequences, days) as given (hash, sequence, day)
      where roots.hash = given.hash and roots.sequence <> given.sequence;
  end if;
end $$;

-- Counts one leaf of a session with controls. `at_version` and `at_sequence` say which state of the root was judged;
-- after any other leaf, order, settlement or sample nothing is counted and `is_current` is false.
create function count_controlled(
  -- Null version: no state was read.
  of_root text, at_version int8, at_sequence int4,
  -- As in count_leaves.
  leaf_micro_usd int8, passes boolean, touches_stock boolean, max_trades int4, max_day int8, next_sequence int4,
  execution_hash text, call_nonce text, client_id text, at_ms int8, day_ms int8,
  -- Null tokens: the call was not read, so it does not pass.
  order_id text, part int4, token_in text, token_out text, amount_in numeric, min_out numeric, max_out numeric,
  expires_at_s int8,
  -- The breakers of a session before its first leaf; null otherwise.
  new_breakers jsonb
) returns table (
  is_current boolean,
  known boolean, frozen boolean, revoked boolean, hosted boolean, closed boolean, attested boolean, replayed boolean,
  named boolean, last_sequence int4, day_micro_usd int8, counted boolean
) language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  stored record;
begin
  is_current := true;
  if at_version is not null then
    select r.version, r.sequence into stored from roots r where r.hash = of_root for update;
    is_current := not found or (stored.version = at_version and stored.sequence = at_sequence);
    if not is_current then
      return next;
      return;
    end if;
  end if;
  select c.known, c.frozen, c.revoked, c.hosted, c.closed, c.attested, c.replayed, c.named, c.last_sequence,
      c.day_micro_usd, c.counted
    into known, frozen, revoked, hosted, closed, attested, replayed, named, last_sequence, day_micro_usd, counted
    from count_leaves(array[of_root], array[1], array[leaf_micro_usd], array[passes], array[touches_stock],
      array[max_trades], array[max_day], array[next_sequence], array[execution_hash], array[call_nonce],
      array[client_id], at_ms, day_ms) c;
  if counted then
    insert into order_leaves (root_hash, sequence, order_id, part, token_in, token_out, amount_in, min_out, max_out,
        micro_usd, first_signed_at_ms, expires_at_s)
      values (of_root, last_sequence + 1, order_id, part, token_in, token_out, amount_in, min_out, max_out,
        leaf_micro_usd, at_ms, expires_at_s);
    if new_breakers is not null then
      insert into session_books (root_hash, book, capital_micro_usd, breakers, updated_at_ms)
        values (of_root, '{}', 0, new_breakers, at_ms) on conflict (root_hash) do nothing;
    end if;
  end if;
  return next;
end $$;
