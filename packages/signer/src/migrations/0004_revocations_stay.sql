-- Nothing looks for old revocations any more: those of roots that never came are kept for good.
drop index revocations_by_time;
