import type { ChainProfile, MarketHoliday } from './profile.ts'

/**
 * Stock tokens trade from Sunday 20:00 to Friday 20:00 New York time, by the runtime's time-zone database, so
 * daylight saving moves the session's hours in UTC. A day of it begins at 20:00 the evening before; the US
 * market's holidays take out whole days, and its half days end early.
 */
const newYork = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  hourCycle: 'h23',
})
const EDGE_HOUR = 20

/** Whether stock tokens trade at a time, by the holidays of a profile. */
export function stockSessionOf({
  market_holidays,
}: Pick<ChainProfile, 'market_holidays'>): (atMs: number) => boolean {
  const holidays = new Map(market_holidays.map((holiday) => [holiday.date, holiday]))
  return (atMs) => isOpen(atMs, holidays)
}

function isOpen(atMs: number, holidays: ReadonlyMap<string, MarketHoliday>): boolean {
  const now: Record<string, number> = {}
  for (const { type, value } of newYork.formatToParts(atMs)) now[type] = Number(value)
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = now
  const isEvening = hour >= EDGE_HOUR
  const sessionDay = new Date(Date.UTC(year, month - 1, isEvening ? day + 1 : day))
  const weekday = sessionDay.getUTCDay()
  if (weekday === 0 || weekday === 6) return false
  const holiday = holidays.get(sessionDay.toISOString().slice(0, 10))
  if (!holiday) return true
  if (holiday.closes === undefined) return false
  const [closeHour = 0, closeMinute = 0] = holiday.closes.split(':').map(Number)
  return isEvening || hour * 60 + minute < closeHour * 60 + closeMinute
}
