import { RpcError, RpcUnreachable } from '../rpc.ts'
import { examineCode } from './codeChecks.ts'
import { examineCountry, examineSanctions } from './complianceChecks.ts'
import { examineDelegation } from './delegationChecks.ts'
import { examineExchanges } from './exchangeChecks.ts'
import { examineFeeds } from './feedChecks.ts'
import { examineNode } from './nodeChecks.ts'
import { examinePools } from './poolChecks.ts'
import { examineProfile } from './profileChecks.ts'
import { examineStocks } from './stockChecks.ts'
import { examineTokens } from './tokenChecks.ts'
import { type DoctorDeps, type Examination, type Finding, unknown } from './types.ts'

export { SANCTIONS_ALARM_S } from './complianceChecks.ts'
export { COUNTRY_CURE, type CountrySettings, countrySourceOf } from './countrySource.ts'
export type { DoctorDeps, Finding } from './types.ts'

/** In the order they are shown; each is a small file. */
const EXAMINATIONS: Record<string, Examination> = {
  profile: examineProfile,
  node: examineNode,
  code: examineCode,
  tokens: examineTokens,
  feeds: examineFeeds,
  pools: examinePools,
  exchanges: examineExchanges,
  delegation: examineDelegation,
  stocks: examineStocks,
  sanctions: examineSanctions,
  country: examineCountry,
}

/** Reads a profile against its chain, all at once; a chain that does not answer is a finding too. */
export async function examine(deps: DoctorDeps): Promise<Finding[]> {
  const found = await Promise.all(
    Object.entries(EXAMINATIONS).map(async ([name, examination]): Promise<Finding[]> => {
      try {
        return await examination(deps)
      } catch (error) {
        if (!(error instanceof RpcUnreachable || error instanceof RpcError)) throw error
        return [unknown(name, `the node does not answer: ${error.message}`, 'Start it, or name another.')]
      }
    }),
  )
  return found.flat()
}

/** What no server starts with. */
export const losesMoney = (findings: readonly Finding[]): Finding[] =>
  findings.filter(({ verdict }) => verdict === 'fail')
