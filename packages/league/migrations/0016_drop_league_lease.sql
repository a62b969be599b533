-- The league’s work has a lease among those of all jobs now.
drop table league_lease;
