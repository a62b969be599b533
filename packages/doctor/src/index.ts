import { RpcError, RpcUnreachable } from '@pit/platform/rpc'
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

/** In display order. */
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

/** Checks a profile against its chain, all checks in parallel; an unreachable node is a finding too. */
export async function examine(deps: DoctorDeps): Promise<Finding[]> {
  const findings = await Promise.all(
    Object.entries(EXAMINATIONS).map(async ([name, examination]): Promise<Finding[]> => {
      try {
        return await examination(deps)
      } catch (error) {
        if (!(error instanceof RpcUnreachable || error instanceof RpcError)) throw error
        return [
          unknown(name, `no answer from the node: ${error.message}`, 'Start the node or use another one.'),
        ]
      }
    }),
  )
  return findings.flat()
}

/** Findings that keep the server from starting. */
export const losesMoney = (findings: readonly Finding[]): Finding[] =>
  findings.filter(({ verdict }) => verdict === 'fail')
