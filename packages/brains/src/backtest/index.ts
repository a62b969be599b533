export { isRuleBrain, RULE_BRAINS, readRuleParams } from '../ruleBrains.ts'
export { type Backtest, backtest, endsOf } from './backtest.ts'
export type { StoredMark } from './series.ts'
