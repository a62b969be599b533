-- Who sent an agent's token: what somebody was only sent is not their doing. Rows from before do not say, so they are
-- read again, each from the first block it was seen in.
update league_transfer_scans s set next_block = seen.block, scanned_to_s = 0
from (select token, address, min(block) as block from league_transfers group by token, address) seen
where s.token = seen.token and s.address = seen.address and seen.block < s.next_block;
delete from league_transfers;
alter table league_transfers add column sent boolean not null;
alter table league_transfers drop constraint league_transfers_pkey;
alter table league_transfers add primary key (token, address, other, sent);
