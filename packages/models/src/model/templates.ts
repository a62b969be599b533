/** Example strategies; the owner may edit the text. */
export interface Template {
  id: string
  title: string
  intervalS: number
  strategy: string
}

const STEADY: Template = {
  id: 'steady',
  title: 'Steady accumulation',
  intervalS: 3_600,
  strategy:
    'Build a position slowly. Each time, buy a small part of the limit of the pair that fell most over ' +
    '24 hours, unless it fell over the last hour by more than 150 bps. Never sell unless a position is ' +
    'worth more than half of the book; then sell it down to a third.',
}

export const TEMPLATES: readonly Template[] = [
  STEADY,
  {
    id: 'trend',
    title: 'Follow the trend',
    intervalS: 900,
    strategy:
      'Buy what rose over both the last hour and the last 24 hours, with half of the limit for one ' +
      'trade. Sell all of a position whose change over the last hour is below -60 bps. Hold when the ' +
      'signals disagree.',
  },
  {
    id: 'dips',
    title: 'Buy dips, sell recoveries',
    intervalS: 900,
    strategy:
      'When a price is more than 100 bps under the average of the history you are given, buy with a ' +
      'third of the limit. When it is more than 100 bps over that average and a position is held, sell ' +
      'a third of the limit. Otherwise hold.',
  },
  {
    id: 'guard',
    title: 'Guard the capital',
    intervalS: 1_800,
    strategy:
      'Keep at least 70 percent of the book in cash. Buy only after a pair rose on most points of its ' +
      'history. Sell everything of a pair that lost more than 200 bps over 24 hours. When in doubt, ' +
      'hold.',
  },
]

export const DEFAULT_TEMPLATE = STEADY
export const templateOf = (id: string): Template | undefined => TEMPLATES.find((row) => row.id === id)
