/**
 * Stock tokens trade from Sunday 20:00 to Friday 20:00 New York time, by the runtime's time-zone database, so
 * daylight saving moves the session's hours in UTC.
 */
const newYork = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  weekday: 'short',
  hour: 'numeric',
  hourCycle: 'h23',
})
const EDGE_HOUR = 20

export function stockSessionOpen(atMs: number): boolean {
  let weekday = ''
  let hour = 0
  for (const part of newYork.formatToParts(atMs)) {
    if (part.type === 'weekday') weekday = part.value
    if (part.type === 'hour') hour = Number(part.value)
  }
  if (weekday === 'Sat') return false
  if (weekday === 'Sun') return hour >= EDGE_HOUR
  if (weekday === 'Fri') return hour < EDGE_HOUR
  return true
}
