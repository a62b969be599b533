import { getter, numberSaid, sayAll, textSaid } from './asking.ts'
import { ASK_AGAIN, type Examination, fail, ok, unknown, warn } from './types.ts'

/** Checks each token's symbol and decimals. */
export const examineTokens: Examination = async (deps) => {
  const { core_tokens, listed_stocks } = deps.profile
  const tokens = [...core_tokens.filter(({ native }) => !native), ...listed_stocks]
  const said = await sayAll(
    deps,
    tokens.flatMap(({ address }) => [getter(address, 'decimals()'), getter(address, 'symbol()')]),
  )
  return tokens.flatMap(({ symbol, decimals }, i) => {
    const [tokenDecimals, name] = [numberSaid(said[2 * i]), textSaid(said[2 * i + 1])]
    if (said[2 * i] === undefined) return unknown(`token ${symbol}`, 'no answer from the node', ASK_AGAIN)
    const findings = []
    if (tokenDecimals !== decimals)
      findings.push(
        fail(
          `token ${symbol} decimals`,
          tokenDecimals === null ? 'no decimals reported' : `${tokenDecimals}, the profile says ${decimals}`,
          'Every amount would be wrong: correct the decimals or the address.',
        ),
      )
    if (name === null)
      findings.push(warn(`token ${symbol} symbol`, 'no symbol reported', 'Check that the address is right.'))
    else if (name.toUpperCase() !== symbol.toUpperCase())
      findings.push(
        fail(`token ${symbol} symbol`, `its symbol is ${name}`, 'It is another token: correct the address.'),
      )
    return findings.length > 0 ? findings : ok(`token ${symbol}`, `${decimals} decimals`)
  })
}
