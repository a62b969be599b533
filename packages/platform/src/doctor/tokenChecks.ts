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
    const [told, name] = [numberSaid(said[2 * i]), textSaid(said[2 * i + 1])]
    if (said[2 * i] === undefined) return unknown(`token ${symbol}`, 'no answer from the node', ASK_AGAIN)
    const found = []
    if (told !== decimals)
      found.push(
        fail(
          `token ${symbol} decimals`,
          told === null ? 'no decimals reported' : `${told}, the profile says ${decimals}`,
          'Every amount would be wrong: correct the decimals or the address.',
        ),
      )
    if (name === null)
      found.push(warn(`token ${symbol} symbol`, 'no symbol reported', 'Check that the address is right.'))
    else if (name.toUpperCase() !== symbol.toUpperCase())
      found.push(
        fail(`token ${symbol} symbol`, `its symbol is ${name}`, 'It is another token: correct the address.'),
      )
    return found.length > 0 ? found : ok(`token ${symbol}`, `${decimals} decimals`)
  })
}
