import type { Address } from '@pit/chain'
import { askCode } from '@pit/platform/reads'
import type { ChainProfile } from '@pit/protocol'
import { ask } from './asking.ts'
import { ASK_AGAIN, type Examination, fail, ok, unknown } from './types.ts'

/** Checks that every address we call has code. */
export const examineCode: Examination = async (deps) => {
  const named = callees(deps.profile)
  const codes = await ask(
    deps,
    named.map(([, address]) => askCode(address as Address)),
  )
  const findings = named.flatMap(([name, address], i) => {
    const code = codes[i]
    if (code === undefined) return [unknown(name, `no answer for the code of ${address}`, ASK_AGAIN)]
    return code === '0x'
      ? [fail(name, `no code at ${address}`, 'The profile is for another chain, or the address is wrong.')]
      : []
  })
  return [...findings, ok('code', `${named.length - findings.length} of ${named.length} addresses have code`)]
}

function callees({ contracts, delegation, core_tokens, listed_stocks }: ChainProfile): [string, string][] {
  const tokens = [...core_tokens.filter(({ native }) => !native), ...listed_stocks]
  const all: [string, string | null][] = [
    ...Object.entries(contracts)
      .filter(([, value]) => value === null || value.length === 42)
      .map(([name, address]): [string, string | null] => [`contract ${name}`, address]),
    ['contract delegation_manager', delegation.delegation_manager],
    ['contract stateless_delegator', delegation.stateless_delegator],
    ...Object.entries(delegation.enforcers).map(([name, at]): [string, string] => [`enforcer ${name}`, at]),
    ...tokens.map(({ symbol, address }): [string, string] => [`token ${symbol} code`, address]),
  ]
  return all.filter((row): row is [string, string] => row[1] !== null)
}
