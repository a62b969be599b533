import { keyOf } from './fillAccounts.ts'
import { AGENTS, agentId, BUSY, ORDINARY, SEASONS, type YearSize } from './size.ts'

/** One reading request. */
export interface Probe {
  name: string
  path: string
  key: string | null
  body?: object
}

const QUOTE = { token_in: 'ETH', token_out: 'USDG', notional_usd: 25 }

/** Every read-only route, for anonymous callers and for the two accounts. */
export const probesOf = (size: YearSize): Probe[] => [
  ...OPEN.map((path) => ({ name: path, path, key: null })),
  ...[BUSY, ORDINARY].flatMap((account) => {
    const who = account === BUSY ? 'busy' : 'ordinary'
    const agents =
      account === BUSY
        ? { live: AGENTS.live, paper: AGENTS.paper, model: AGENTS.model }
        : { live: AGENTS.ordinaryLive, paper: AGENTS.ordinaryPaper }
    const gets = [
      ...OWN,
      `me/trades?limit=100&before=${Math.floor(size.trades / 2)}`,
      ...Object.values(agents).flatMap((n) => [
        `hosted/${agentId(n)}`,
        `hosted/${agentId(n)}/logs`,
        `hosted/${agentId(n)}/logs?kinds=error,watch`,
      ]),
      `hosted/${agentId(agents.live)}/executor`,
      ...('model' in agents ? [`hosted/${agentId(agents.model!)}/spend`] : []),
    ]
    const key = keyOf(account)
    return [
      ...gets.map((path) => ({ name: `${shortened(path)} (${who})`, path, key })),
      { name: `POST live/quote (${who})`, path: 'live/quote', key, body: QUOTE },
      { name: `POST live/simulate (${who})`, path: 'live/simulate', key, body: QUOTE },
    ]
  }),
]

const shortened = (path: string): string =>
  path.replace(/agt_0*(\d+)/, (_, n) => `<${KINDS[n] ?? n}>`).replace(/before=\d+/, 'before=<middle>')
const KINDS: Record<string, string> = { 1: 'live', 4: 'paper', 5: 'model', 21: 'live', 24: 'paper' }

const OPEN = [
  ...['config', 'health', 'stats', 'treasury', 'openapi.json', 'league', 'league/standings'],
  'league/standings?board=practice',
  `league/standings?season=${SEASONS - 1}`,
  `league/seasons/${SEASONS - 1}`,
  ...['league/seasons', 'league/reserve'],
]
const OWN = [
  ...['auth/me', 'tokens/USDG', 'tokens?q=tkn1', 'tokens?limit=100', 'tokens/stats', 'live/fast/terms'],
  ...['me/trades', 'me/trades?limit=100&refused=1', 'me/portfolio', 'me/sessions', 'hosted', 'hosted/ai'],
  ...['league/me', 'paper/book'],
]
