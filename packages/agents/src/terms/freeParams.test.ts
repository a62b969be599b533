import { BRAINS, schemas } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { FREE_PARAMS, steeringParams } from './freeParams.ts'

/** Two values of each param; the first one trades less or less often, if comparable. */
const VALUES: Record<string, readonly [unknown, unknown]> = {
  'partner_llm.strategy': ['hold', 'buy everything'],
  'partner_llm.model': ['vendor/a', 'vendor/b'],
  'partner_llm.funding': ['pool', 'own'],
  'partner_llm.fallback_own': [false, true],
  'partner_llm.template': ['a', 'b'],
  'partner_llm.budget_usd_day': [0.5, 1],
  'partner_llm.max_orders': [1, 3],
  'webhook.url': ['https://owner.example', 'https://thief.example'],
  'dca.usd': [5, 10],
  'dca.side': ['buy', 'sell'],
  'dca.total_usd': [100, 200],
  'momentum.lookback_s': [600, 3_600],
  'momentum.threshold_bps': [50, 100],
  'momentum.exit_bps': [25, 50],
  'momentum.usd': [5, 25],
  'momentum.exit': ['usd', 'all'],
  'momentum.cooldown_s': [1_800, 900],
  'mean_reversion.lookback_s': [3_600, 14_400],
  'mean_reversion.band_bps': [100, 200],
  'mean_reversion.z': [1, 2],
  'mean_reversion.exit': ['band', 'mean'],
  'mean_reversion.usd': [5, 25],
  'mean_reversion.min_points': [30, 40],
  'grid.low': [1_900, 2_000],
  'grid.high': [2_100, 2_200],
  'grid.range_bps': [500, 1_000],
  'grid.levels': [10, 20],
  'grid.usd': [5, 10],
  'grid.start': ['empty', 'filled'],
  'rebalance.weights': [{ ETH: 10 }, { ETH: 90 }],
  'rebalance.drift_bps': [100, 500],
}

const everyParam = BRAINS.flatMap((brain) =>
  Object.keys(schemas.BRAIN_PARAMS[brain].properties).map((param) => [brain, param] as const),
)

describe('changes of params that need a new grant', () => {
  it.each(everyParam)('has a rule for %s %s, and enforces it in both directions', (brain, param) => {
    const direction = (FREE_PARAMS[brain] as Record<string, string>)[param]
    expect(direction, 'missing in FREE_PARAMS').toBeDefined()
    expect(VALUES[`${brain}.${param}`], 'no example of this param in this test').toBeDefined()
    const [less, more] = VALUES[`${brain}.${param}`]!
    const changed = [`params.${param}`]
    expect(steeringParams(brain, { [param]: less }, { [param]: more })).toEqual(changed)
    expect(steeringParams(brain, { [param]: more }, { [param]: less })).toEqual(
      direction === 'none' ? changed : [],
    )
    expect(steeringParams(brain, { [param]: more }, { [param]: structuredClone(more) })).toEqual([])
  })

  it('has no rule for a param that does not exist', () => {
    const listed = BRAINS.flatMap((brain) => Object.keys(FREE_PARAMS[brain]).map((param) => [brain, param]))
    expect(listed.sort()).toEqual(everyParam.map((one) => [...one]).sort())
  })

  it('frees only amounts and switches that lead to smaller or fewer trades', () => {
    const free = everyParam.filter(
      ([brain, param]) => (FREE_PARAMS[brain] as Record<string, string>)[param] !== 'none',
    )
    for (const [brain, param] of free) {
      expect(['number', 'boolean']).toContain(typeof VALUES[`${brain}.${param}`]![0])
    }
    expect(free.map((one) => one.join('.'))).toEqual([
      'partner_llm.fallback_own',
      'partner_llm.budget_usd_day',
      'partner_llm.max_orders',
      'dca.usd',
      'dca.total_usd',
      'momentum.usd',
      'momentum.cooldown_s',
      'mean_reversion.usd',
      'grid.usd',
    ])
  })

  it.each([
    { before: {}, after: { new_param: 1 } },
    { before: { new_param: 1 }, after: {} },
  ])('counts an unlisted param as steering: %j', ({ before, after }) => {
    expect(steeringParams('dca', before, after)).toEqual(['params.new_param'])
  })

  it.each(['constructor', 'toString', '__proto__'])('counts an unlisted param named %s', (name) => {
    const after = JSON.parse(`{"${name}": 1}`)
    expect(steeringParams('dca', {}, after)).toEqual([`params.${name}`])
  })

  it('treats an absent total as unbounded', () => {
    expect(steeringParams('dca', {}, { total_usd: 1_000 })).toEqual([])
    expect(steeringParams('dca', { total_usd: 1_000 }, {})).toEqual(['params.total_usd'])
  })

  it('treats an omitted param as its default', () => {
    expect(steeringParams('dca', { usd: 10 }, { usd: 10, side: 'buy' })).toEqual([])
    expect(steeringParams('dca', { side: 'sell' }, {})).toEqual(['params.side'])
    expect(steeringParams('dca', {}, { usd: 11 })).toEqual(['params.usd'])
  })

  it('compares weights by value, whatever the order of their tokens', () => {
    const before = { weights: { ETH: 50, cbBTC: 25 } }
    expect(steeringParams('rebalance', before, { weights: { cbBTC: 25, ETH: 50 } })).toEqual([])
    expect(steeringParams('rebalance', before, { weights: { ETH: 50 } })).toEqual(['params.weights'])
  })

  it('does not treat another type as a smaller amount', () => {
    expect(steeringParams('dca', { usd: 10 }, { usd: null })).toEqual(['params.usd'])
    expect(steeringParams('dca', { usd: 10 }, { usd: '1' })).toEqual(['params.usd'])
  })
})
