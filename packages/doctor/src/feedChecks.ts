import { wordIn } from '@pit/platform/reads'
import type { Feed } from '@pit/protocol'
import { getter, numberSaid, type Said, sayAll, textSaid } from './asking.ts'
import {
  ASK_AGAIN,
  type DoctorDeps,
  type Examination,
  type Finding,
  fail,
  ok,
  unknown,
  warn,
} from './types.ts'

/** Checks each feed's token, decimals and age. */
export const examineFeeds: Examination = async (deps) => {
  const { core_tokens, listed_stocks } = deps.profile
  const fed = [...core_tokens, ...listed_stocks].flatMap(({ symbol, feed }) =>
    feed === null ? [] : [{ symbol, feed }],
  )
  const said = await sayAll(
    deps,
    fed.flatMap(({ feed: { address } }) => [
      getter(address, 'decimals()'),
      getter(address, 'description()'),
      getter(address, 'latestRoundData()'),
    ]),
  )
  return fed.flatMap((one, i) => findingsOf(deps, one, said.slice(3 * i, 3 * i + 3)))
}

function findingsOf(
  { nowMs }: Pick<DoctorDeps, 'nowMs'>,
  { symbol, feed }: { symbol: string; feed: Feed },
  [decimalsSaid, descriptionSaid, round]: Said[],
): Finding[] {
  const check = `feed ${symbol}`
  if (decimalsSaid === undefined) return [unknown(check, 'no answer from the node', ASK_AGAIN)]
  const findings: Finding[] = []
  const decimals = numberSaid(decimalsSaid)
  if (decimals !== feed.decimals)
    findings.push(
      fail(
        `${check} decimals`,
        decimals === null
          ? `${feed.address} is not a price feed`
          : `${decimals}, the profile says ${feed.decimals}`,
        'Every price would be wrong: correct the decimals or the address.',
      ),
    )
  const description = textSaid(descriptionSaid)
  if (description === null || !isOf(description, symbol))
    findings.push(
      fail(
        `${check} description`,
        description === null ? 'no description reported' : `it is the feed of ${description}`,
        'It prices something else: correct the address.',
      ),
    )
  const [answer, updatedAtS] = [wordIn(round, 1), Number(wordIn(round, 3) ?? 0n)]
  const ageS = Math.floor(nowMs() / 1000) - updatedAtS
  if (answer === null || answer === 0n || answer >> 255n !== 0n)
    findings.push(
      warn(`${check} round`, 'no current price', 'The token has no mark until the feed has a price.'),
    )
  else if (ageS > feed.heartbeat_s && feed.session === 'always')
    findings.push(
      warn(
        `${check} age`,
        `${ageS} s, its heartbeat is ${feed.heartbeat_s} s`,
        'Its marks are stale: check whether the feed is still updated.',
      ),
    )
  return findings.length > 0 ? findings : [ok(check, `${description}, ${ageS} s old`)]
}

/**
 * A feed's description starts with its base, such as `ETH / USD`; a wrapped token uses its underlying's feed.
 */
function isOf(description: string, symbol: string): boolean {
  const [base = '', quote = ''] = description
    .toUpperCase()
    .split('/')
    .map((part) => part.trim())
  const names = symbol === 'WETH' ? ['ETH', 'WETH'] : [symbol.toUpperCase()]
  return names.includes(base) && quote.startsWith('USD')
}
