-- Orders of practice accounts that their callers named by a client_id, and what was answered; kept for 60 days.
create table league_paper_requests (
  wallet text not null,
  client_id text not null,
  request_hash text not null,
  answer jsonb not null,
  at_s int8 not null,
  primary key (wallet, client_id)
);
create index league_paper_requests_age on league_paper_requests (at_s);
