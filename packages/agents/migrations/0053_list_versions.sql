-- A repeated request gets a new receipt of the co-signer.
alter table signed_lists drop column receipt;
-- Of the first version of lists, which can no longer be signed: agents ask again.
delete from wanted_signatures;
