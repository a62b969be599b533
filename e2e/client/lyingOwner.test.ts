import type { Hex } from '@pit/chain'
import {
  type Account,
  createClient,
  fromViem,
  isRefusal,
  type PitClient,
  type PitRefusal,
  rpcAt,
} from '@pit/client'
import { RISK_CODES } from '@pit/protocol'
import { keccak256, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSessionWorld, type SessionWorld } from '../session/world.ts'
import { readStoryTokens } from '../trading/storyTokens.ts'
import { THIEF } from './lies.ts'
import { type Mcp, type McpHome, openMcpHome } from './mcpWorld.ts'
import { openBetween, openPit, type Pit, type Ran } from './runPit.ts'

// An owner behind a proxy that lies about agents, grants, revocations, approvals and refunds.

const DOMAIN = 'pit.test'
const ETH = 10n ** 18n
const KEY = keccak256(stringToHex('lied to owner'))
const owner = privateKeyToAccount(KEY).address.toLowerCase() as Hex
const executor = privateKeyToAccount(keccak256(stringToHex('lied to executor'))).address
const TERMS = { max_trade_usd: 10, max_day_usd: 20, max_trades: 5, expires_in_s: 3_600 }
const AGENT = {
  brain: 'dca' as const,
  params: { usd: 5 },
  interval_s: 3_600,
  pairs: ['ETH/USDG'],
  mode: 'live' as const,
  limits: { max_trade_usd: 10, max_day_usd: 20, max_position_usd: 100 },
}

// biome-ignore lint/suspicious/noExplicitAny: lies reach into every answer
type Any = any
/** Changes an answer in place, by its path under the API's prefix. */
type Lie = (path: string, body: Any) => void

let world: SessionWorld
let cosigner: string
let curve: Hex
let curves: readonly Hex[]
let lie: Lie = () => {}
let proxy: Awaited<ReturnType<typeof openBetween>>
let pit: Pit
let home: McpHome
let mcp: Mcp
let signatures = 0
let client: PitClient

/** Everything the owner's key signs is counted. */
function counting(account: Account): Account {
  const counted =
    <A extends unknown[], T>(sign: (...args: A) => Promise<T>) =>
    (...args: A): Promise<T> => {
      signatures++
      return sign(...args)
    }
  return {
    address: account.address,
    signMessage: counted(account.signMessage),
    signTypedData: counted(account.signTypedData),
    signTransaction: counted(account.signTransaction),
    signAuthorization: counted(account.signAuthorization!),
  }
}

const open = (): PitClient =>
  createClient({
    url: proxy.url,
    domain: DOMAIN,
    profile: { ...world.profile, cosigner },
    account: counting(fromViem(privateKeyToAccount(KEY))),
    rpc: rpcAt(world.devnet.url),
    maxTries: 1,
  })

beforeAll(async () => {
  world = await openSessionWorld({ server: { AUTH_DOMAIN: DOMAIN, SEAL_KEY: '5e'.repeat(32) } })
  const config = (await (await fetch(`${world.server.url}/api/v1/config`)).json()) as Any
  cosigner = config.session.cosigner
  const tokens = await readStoryTokens(world.devnet)
  curve = tokens.onCurve('ETH')
  curves = [curve]
  proxy = await openBetween(world.server.url, (path) => (answer) => {
    const body = JSON.parse(answer) as Any
    if (!body.error) lie(path, body)
    return JSON.stringify(body)
  })
  await world.fund(owner, { wei: 10n * ETH, usdg: 1_000_000_000n })
  pit = openPit(world, DOMAIN, cosigner)
  home = openMcpHome(world, proxy.url, KEY, cosigner)
  client = open()
  await client.signIn()
})
afterAll(async () => {
  await mcp?.close()
  home?.remove()
  pit?.close()
  proxy?.close()
  await world?.close()
})

/** The refusal of a lie, and the number of signatures of the owner's key. */
async function refusedBy(told: Lie, work: () => Promise<unknown>): Promise<[PitRefusal, number]> {
  const before = signatures
  lie = told
  try {
    await work()
  } catch (error) {
    if (isRefusal(error)) return [error, signatures - before]
    throw error
  } finally {
    lie = () => {}
  }
  throw new Error('the lie was believed')
}
const sentByOwner = async (): Promise<number> =>
  Number(await world.devnet.rpc<Hex>('eth_getTransactionCount', [owner, 'latest']))
const runPit = (...args: string[]) =>
  pit([...args, '--url', proxy.url, '--json'], { env: { PIT_PRIVATE_KEY: KEY } })
const codeOf = (ran: Ran): [number, string] => [ran.code, ran.json().error?.code]
async function whileLying<T>(told: Lie, work: () => Promise<T>): Promise<T> {
  lie = told
  return work().finally(() => {
    lie = () => {}
  })
}
const isDisabled = async (hash: Hex): Promise<boolean> => {
  const data = `0x2d40d052${hash.slice(2)}`
  const to = world.profile.delegation.delegation_manager
  return BigInt(await world.devnet.rpc<Hex>('eth_call', [{ to, data }, 'latest'])) === 1n
}
const statuses = async (): Promise<string[]> =>
  (await client.api['me.sessions']()).sessions.map(({ status }) => status)

/** Ten times the limits, and everything accepted. */
const wider: Lie = (path, body) => {
  if (!/^hosted\/[^/]+$/.test(path)) return
  body.limits = { max_trade_usd: 1_000, max_day_usd: 100_000, max_position_usd: 1e6 }
}

describe('an agent that is answered wider than it was created', () => {
  it.each<[string, Lie]>([
    ['limits', wider],
    [
      'risks',
      (path, body) => {
        if (/^hosted\/[^/]+$/.test(path)) body.terms.accept_risks = ['HONEYPOT', 'SELL_TAX']
      },
    ],
    [
      'pairs',
      (path, body) => {
        if (/^hosted\/[^/]+$/.test(path)) body.pairs.push('cbBTC/USDG')
      },
    ],
  ])('is granted nothing (library): %s', async (_, told) => {
    const { id } = await client.hosted.create(AGENT)
    const [error, signed] = await refusedBy(told, () => client.hosted.grantLive(id, {}, { allow7702: true }))
    expect([error.code, error.rule, signed]).toEqual(['VERIFICATION_FAILED', 'GRANT_CAPS', 0])
  })

  it('is granted nothing by the command, with a record or with flags', async () => {
    const created = await runPit('agent', 'create', 'dca', '--live', '--every', '1h')
    expect(created.code, created.stderr).toBe(0)
    const { id } = created.json()
    const before = await sentByOwner()
    const live = ['agent', 'live', id, '--yes', '--allow-7702', '--no-setup']
    const lied = await whileLying(wider, () => runPit(...live))
    expect(codeOf(lied), lied.stderr).toEqual([1, 'VERIFICATION_FAILED'])
    expect(lied.json().error.message).toContain('GRANT_CAPS')
    const elsewhere = await client.hosted.create(AGENT)
    const unknown = await runPit('agent', 'live', elsewhere.id, '--yes', '--allow-7702')
    expect(codeOf(unknown)).toEqual([4, 'INPUT_NEEDED'])
    expect(unknown.json().error.message).toContain('--max-trade-usd')
    const flags = ['--pairs', 'ETH/USDG', '--max-trade-usd', '10', '--max-day-usd', '20']
    const flagged = await whileLying(wider, () =>
      runPit('agent', 'live', elsewhere.id, '--yes', '--allow-7702', ...flags),
    )
    expect(codeOf(flagged)).toEqual([1, 'VERIFICATION_FAILED'])
    expect(await sentByOwner(), 'transactions').toBe(before)
  })

  it('goes live as it was created when the server is honest, and stops with its roots ended', async () => {
    const { id } = await client.hosted.create(AGENT)
    const { agent, granted } = await client.hosted.grantLive(id, TERMS, { allow7702: true })
    expect(agent).toMatchObject({ id, live: true })
    expect(granted!.terms).toMatchObject({
      limits: { maxTradeUsd: 10, maxDayUsd: 20, maxTrades: 5 },
      acceptRisks: [],
    })
    // A stop that hides the session ends it all the same.
    const hide: Lie = (path, body) => {
      if (path.endsWith('/stop')) body.session_revoke = null
    }
    const stopped = await whileLying(hide, () => client.hosted.stop(id, { onChain: true }))
    expect(stopped.revoked.flatMap(({ roots }) => roots.map(({ state }) => state))).toEqual(['ended'])
    expect(await isDisabled(granted!.terms.roots[0]!.hash)).toBe(true)
  })
})

describe('a grant', () => {
  const input = { executor, tokens: ['ETH', 'USDG'], ...TERMS }
  const onCurve = () => ({ ...input, tokens: ['ETH', 'USDG', ...curves], accept_risks: [...RISK_CODES] })
  const ofGrant =
    (change: (body: Any) => void): Lie =>
    (path, body) => {
      if (path === 'live/session/grant' && body.sign) change(body)
    }
  let honest: Any

  it('on a curve has exactly one root for calls and one for fees, when the server is honest', async () => {
    lie = ofGrant((body) => {
      honest = structuredClone(body)
    })
    const { terms } = await client.grantSession(onCurve(), { allow7702: true }).finally(() => {
      lie = () => {}
    })
    expect(terms.roots.map(({ kind }) => kind)).toEqual(['router', 'curve', 'fee'])
  })

  const feeRootOf = (body: Any) => {
    const [hash] = Object.entries<Any>(body.sign.curve_roots).find(([, { kind }]) => kind === 'fee')!
    return hash
  }
  /** The cap of a fee root's day, the first word of the terms of its window. */
  const raised = (terms: string): string => {
    const cap = BigInt(terms.slice(0, 66)) * 100n
    return `0x${cap.toString(16).padStart(64, '0')}${terms.slice(66)}`
  }

  it.each<[string, () => Any, (body: Any) => void]>([
    [
      'extra curve roots without curve tokens',
      () => input,
      (body) => {
        body.sign.curve_roots = honest.sign.curve_roots
      },
    ],
    [
      'a fee root with 100 times its cap',
      onCurve,
      (body) => {
        const { message } = body.sign.curve_roots[feeRootOf(body)].typed_data
        const window = message.caveats.at(-1)
        window.terms = raised(window.terms)
      },
    ],
    [
      'a second root for the curve',
      onCurve,
      (body) => {
        const [[, root]] = Object.entries<Any>(body.sign.curve_roots) as [[string, Any]]
        body.sign.curve_roots[`0x${'5'.repeat(64)}`] = structuredClone(root)
      },
    ],
    [
      'a root of the curve left out',
      onCurve,
      (body) => {
        delete body.sign.curve_roots[feeRootOf(body)]
      },
    ],
    [
      'limits shown lower than the binding’s',
      () => input,
      (body) => {
        body.limits.max_day_usd = 1
      },
    ],
    [
      'an exposure shown lower than the binding’s',
      () => input,
      (body) => {
        body.exposure.by_cosigner.max_trade_usd = 1
      },
    ],
    [
      'words that name other limits',
      () => input,
      (body) => {
        body.exposure.in_words = ['At most 1 dollar can be traded.']
      },
    ],
    [
      'risk terms shown narrower than the binding’s',
      onCurve,
      (body) => {
        body.risk_terms.accept_risks = []
      },
    ],
  ])('with %s is refused before anything is signed', async (_, request, change) => {
    const [error, signed] = await refusedBy(ofGrant(change), () =>
      client.grantSession(request(), { allow7702: true }),
    )
    expect([error.code, error.rule, signed]).toEqual(['VERIFICATION_FAILED', 'GRANT_BINDING', 0])
    expect(await statuses(), 'it leaves nothing pending').not.toContain('pending')
  })

  it('shows what is signed, and a decline leaves nothing pending', async () => {
    const before = signatures
    let shown: Any
    const declined = client.grantSession(input, {
      allow7702: true,
      confirm: (terms) => {
        shown = terms
        return false
      },
    })
    await expect(declined).rejects.toMatchObject({ code: 'NOT_CONFIRMED' })
    expect(shown).toMatchObject({
      executor: executor.toLowerCase(),
      limits: { maxTradeUsd: 10, maxDayUsd: 20, maxTrades: 5 },
      shield: false,
    })
    expect(signatures).toBe(before)
    expect(await statuses()).not.toContain('pending')
  })

  it('under the id of a session signed before is refused, and that session stays', async () => {
    const first = await client.grantSession(input, { allow7702: true })
    const again = ofGrant((body) => {
      body.session_id = first.terms.sessionId
    })
    const [error, signed] = await refusedBy(again, () => client.grantSession(input, { allow7702: true }))
    expect([error.rule, signed]).toEqual(['GRANT_BINDING', 0])
    const { sessions } = await client.recordedSessions()
    expect(sessions.find(({ session_id }) => session_id === first.terms.sessionId)?.state).toBe('alive')
  })
})

/** An empty revocation, and lists that hide every session. */
const nothingToEnd: Lie = (path, body) => {
  if (path === 'live/session/revoke') body.on_chain = []
  if (path === 'me/sessions') body.sessions = []
}

describe('a revocation', () => {
  const input = { executor, tokens: ['ETH', 'USDG'], ...TERMS }

  it('without steps ends every root all the same (library)', async () => {
    const { terms } = await client.grantSession(input, { allow7702: true })
    const ended = await whileLying(nothingToEnd, () => client.revokeSession({ sessionId: terms.sessionId }))
    expect(ended).toMatchObject({ complete: true, roots: [{ hash: terms.roots[0]!.hash, state: 'ended' }] })
    expect(await isDisabled(terms.roots[0]!.hash)).toBe(true)
  })

  it('by a server that fails still ends every root on chain', async () => {
    const { terms } = await client.grantSession(input, { allow7702: true })
    const failing = await openBetween(world.server.url, (path, _request, response) => {
      if (path !== 'live/session/revoke') return false
      response.writeHead(500, { 'content-type': 'application/json' })
      response.end('{"error":{"code":"INTERNAL","message":"no","retry":"no"}}')
      return true
    })
    const own = proxy
    proxy = failing
    // The same records, by the hashes that were kept.
    const { sessions } = await client.recordedSessions()
    const { roots } = sessions.find(({ session_id }) => session_id === terms.sessionId)!
    const other = open()
    proxy = own
    const request = { sessionId: terms.sessionId, delegations: roots.map(({ delegation }) => delegation) }
    const error = await other.revokeSession(request).catch((one: unknown) => one)
    failing.close()
    expect(isRefusal(error, 'REVOCATION_INCOMPLETE') && error.details).toMatchObject({
      live_roots: [],
      cosigner_confirmed: false,
    })
    expect(await isDisabled(terms.roots[0]!.hash)).toBe(true)
  })

  it('without a record and without steps is refused, not reported as done', async () => {
    const { terms } = await client.grantSession(input, { allow7702: true })
    const forgetful = open()
    await forgetful.signIn()
    const [error, signed] = await refusedBy(nothingToEnd, () =>
      forgetful.revokeSession({ sessionId: terms.sessionId }),
    )
    expect([error.code, signed]).toEqual(['REVOCATION_INCOMPLETE', 0])
    const [named] = await refusedBy(nothingToEnd, () =>
      forgetful.revokeSession({
        sessionId: terms.sessionId,
        rootHashes: terms.roots.map(({ hash }) => hash),
      }),
    )
    expect(named.details['live_roots']).toEqual([terms.roots[0]!.hash])
    const honest = await forgetful.revokeSession({ sessionId: terms.sessionId })
    expect(honest).toMatchObject({ complete: false, roots: [{ state: 'ended' }] })
  })

  it('by the command ends what the server hides, one by one and all at once', async () => {
    const grant = () =>
      runPit('session', 'grant', executor, '--allow-7702', '--no-setup', '--for', '1h', '--yes')
    const [first, second, third] = [await grant(), await grant(), await grant()]
    expect(first.code, first.stderr).toBe(0)
    const list = await whileLying(nothingToEnd, () => runPit('session', 'list'))
    const states = (list.json() as Any[]).map(({ session_id, on_chain }) => [session_id, on_chain])
    for (const ran of [first, second, third]) expect(states).toContainEqual([ran.json().session_id, 'alive'])
    const one = await whileLying(nothingToEnd, () =>
      runPit('session', 'revoke', first.json().session_id, '--yes'),
    )
    expect(one.code, one.stderr).toBe(0)
    expect(await isDisabled(first.json().delegation_hash)).toBe(true)
    const all = await whileLying(nothingToEnd, () => runPit('session', 'revoke', '--all', '--yes'))
    expect(all.code, all.stderr).toBe(0)
    for (const ran of [second, third]) expect(await isDisabled(ran.json().delegation_hash)).toBe(true)
  })

  it('by the command of a session signed elsewhere does not exit with 0', async () => {
    const { terms } = await client.grantSession(input, { allow7702: true })
    const hidden = await whileLying(nothingToEnd, () => runPit('session', 'revoke', terms.sessionId, '--yes'))
    expect(codeOf(hidden)).toEqual([1, 'REVOCATION_INCOMPLETE'])
    const honest = await runPit('session', 'revoke', terms.sessionId, '--yes')
    expect(honest.code).toBe(5)
    expect(honest.stderr).toContain('REVOCATION_UNPROVEN')
  })
})

describe('approvals', () => {
  const allowed = async (): Promise<bigint> => {
    const word = (address: string) => address.slice(2).toLowerCase().padStart(64, '0')
    const data = `0xdd62ed3e${word(owner)}${word(world.profile.contracts.permit2)}`
    return BigInt(await world.devnet.rpc<Hex>('eth_call', [{ to: world.core('USDG'), data }, 'latest']))
  }
  /** A sale that leaves an approval to Permit2 and an allowance of the router behind. */
  const approve = () =>
    client.trade({
      token_in: 'USDG',
      token_out: 'ETH',
      notional_usd: 5,
      permit_mode: 'transaction',
      permit_scope: '30d',
    })
  const nothing: Lie = (path, body) => {
    if (path === 'live/revoke') Object.assign(body, { nothing_to_revoke: true, steps: [] })
  }
  const half: Lie = (path, body) => {
    if (path === 'live/revoke') body.steps = body.steps.slice(0, 1)
  }

  it.each([
    ['nothing to revoke', nothing],
    ['half of the steps', half],
  ])('are gone by the own node after %s (library)', async (_, told) => {
    await approve()
    expect(await allowed()).toBeGreaterThan(0n)
    const { revoked } = await whileLying(told, () => client.revokeApprovals())
    expect(revoked.map(({ by }) => by)).toEqual(['token', 'permit2'])
    expect(await allowed()).toBe(0n)
    expect((await client.revokeApprovals()).revoked).toEqual([])
  })

  it('are gone after the command and after the tool, whatever the server answers', async () => {
    await approve()
    const ran = await whileLying(nothing, () => runPit('revoke', 'USDG', '--yes'))
    expect(ran.json()).toMatchObject({ nothing_to_revoke: false })
    expect([ran.code, await allowed()], ran.stderr).toEqual([0, 0n])
    await approve()
    mcp = await home.start(['--allow-trading', '--max-usd-per-trade', '20', '--max-usd-per-day', '60'])
    const { answer } = await whileLying(nothing, () => mcp.call('revoke_approvals', { tokens: ['USDG'] }))
    expect(answer.transactions.length, JSON.stringify(answer)).toBe(2)
    expect(await allowed()).toBe(0n)
  })
})

describe('MCP', () => {
  it('pauses and stops a live agent, and resumes it only by the operator’s flag', async () => {
    const { id: agent_id } = await client.hosted.create(AGENT)
    const resume = await mcp.call('control_agent', { agent_id, action: 'resume' })
    expect(resume.answer.code).toBe('LIVE_RESUME_NOT_ALLOWED')
    const stopped = await mcp.call('control_agent', { agent_id, action: 'stop' })
    expect(stopped.answer).toMatchObject({ status: 'stopped', sessions: [] })
  })

  it('does not report a session as over that the server hides', async () => {
    const { terms } = await client.grantSession(
      { executor, tokens: ['ETH', 'USDG'], ...TERMS },
      { allow7702: true },
    )
    const { isError, answer } = await whileLying(
      (path, body) => {
        if (path === 'live/session/revoke') body.on_chain = []
      },
      () => mcp.call('revoke_session', { session_id: terms.sessionId }),
    )
    expect([isError, answer.code]).toEqual([true, 'REVOCATION_INCOMPLETE'])
    const honest = await mcp.call('revoke_session', { session_id: terms.sessionId })
    expect(honest.answer).toMatchObject({ proven: false, roots: [{ on_chain: 'ended' }] })
  })
})

describe('a refund of gas', () => {
  it('from a stranger is refused, from the attested executor it is mined', async () => {
    const { id, executor: hosted } = await client.hosted.create(AGENT)
    await world.fund(hosted as Hex, { wei: ETH / 100n })
    await client.hosted.stop(id)
    const stranger = privateKeyToAccount(keccak256(stringToHex('a stranger')))
    await world.fund(stranger.address.toLowerCase() as Hex, { wei: ETH / 100n })
    const raw = await stranger.signTransaction({
      type: 'eip1559',
      chainId: world.profile.chain_id,
      nonce: 0,
      to: owner,
      value: 1n,
      gas: 21_000n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 0n,
    })
    const lied: Lie = (path, body) => {
      if (path.endsWith('/refund-gas'))
        Object.assign(body, {
          raw,
          tx_hash: keccak256(raw),
          value_wei: '1',
          executor: stranger.address.toLowerCase(),
        })
      if (path.endsWith('/executor')) body.executor = stranger.address.toLowerCase()
    }
    const [error] = await refusedBy(lied, () => client.hosted.refundGas(id))
    expect(error.code).toBe('REFUND_TO')
    expect(await world.devnet.rpc<Hex>('eth_getTransactionCount', [stranger.address, 'latest'])).toBe('0x0')
    const home = await client.hosted.refundGas(id)
    expect(home.executor.toLowerCase()).toBe(hosted)
    expect(THIEF).not.toBe(home.to)
    const receipt = await world.devnet.rpc<{ status: Hex }>('eth_getTransactionReceipt', [home.tx_hash])
    expect(receipt.status).toBe('0x1')
  })
})
