import type { MarketHoliday } from '@pit/protocol'

/** The US market's, as published; half days end at 13:00. */
export const MARKET_HOLIDAYS: MarketHoliday[] = [
  { date: '2026-01-01' },
  { date: '2026-01-19' },
  { date: '2026-02-16' },
  { date: '2026-04-03' },
  { date: '2026-05-25' },
  { date: '2026-06-19' },
  { date: '2026-07-03' },
  { date: '2026-09-07' },
  { date: '2026-11-26' },
  { date: '2026-11-27', closes: '13:00' },
  { date: '2026-12-24', closes: '13:00' },
  { date: '2026-12-25' },
  { date: '2027-01-01' },
  { date: '2027-01-18' },
  { date: '2027-02-15' },
  { date: '2027-03-26' },
  { date: '2027-05-31' },
  { date: '2027-06-18' },
  { date: '2027-07-05' },
  { date: '2027-09-06' },
  { date: '2027-11-25' },
  { date: '2027-11-26', closes: '13:00' },
  { date: '2027-12-24' },
]
