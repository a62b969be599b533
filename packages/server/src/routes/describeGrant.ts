import {
  type Crypto,
  type Delegation,
  type DelegationAddresses,
  delegationDigest,
  delegationHash,
  delegationTypedData,
  describeCaveats,
  NOT_ENFORCED_ON_CHAIN,
  ON_CHAIN_BOUNDS,
  type OnChainBound,
} from '@pit/chain'
import { type Answer, controlsJson } from '@pit/protocol'
import {
  authorizationJson,
  type Granted,
  isSigned,
  limitsJson,
  riskTermsJson,
  type Session,
} from '@pit/sessions'
import { stepJson } from '@pit/trading'

type Grant = Answer<'live.session.grant'>
type Pending = Extract<Grant, { status: 'pending' }>

/** A pending session: what its owner signs, and its meaning. */
export function describePending(crypto: Crypto, framework: DelegationAddresses, granted: Granted): Pending {
  const { session, binding, setup, code, exposure } = granted
  const { curveRoots, authorization, wallet } = session
  return {
    session_id: session.id,
    status: 'pending',
    wallet,
    executor: session.executor,
    cosigner: binding.cosigner,
    expires: binding.expires_at,
    wallet_code: code,
    sign: {
      delegation: { ...delegationJson(crypto, framework, session.root), binding },
      authorization: authorization && authorizationJson(crypto, wallet, authorization),
      curve_roots: curveRoots && curveRootsJson(crypto, framework, curveRoots),
    },
    setup: setup.map(stepJson),
    risk_terms: riskTermsJson(binding),
    caveats: describeCaveats(framework, session.root.caveats).map((caveat) => ({ ...caveat })),
    limits: limitsJson(binding),
    controls: controlsJson(binding),
    exposure,
    on_chain_bounds: boundsOf(granted).map((bound) => ON_CHAIN_BOUNDS[bound]),
    not_enforced_on_chain: Object.values(NOT_ENFORCED_ON_CHAIN),
    curve: curveRoots && curvesJson(granted),
    // biome-ignore lint/suspicious/noThenProperty: the contract's name; a string is not thenable
    then: thenOf(granted),
  }
}

export function describeActive(crypto: Crypto, session: Session): Extract<Grant, { status: 'active' }> {
  const { curveRoots: roots, authorization, wallet } = session
  const isStored = isSigned(authorization)
  return {
    session_id: session.id,
    status: 'active',
    delegation_hash: session.rootHash,
    authorization_stored: isStored,
    sign:
      authorization === null || isStored
        ? null
        : { authorization: authorizationJson(crypto, wallet, authorization) },
    limits: limitsJson(session.binding),
    controls: controlsJson(session.binding),
    curve_roots: roots && {
      curve: delegationHash(crypto, roots.curve),
      fee: delegationHash(crypto, roots.fee),
    },
  }
}

/** A delegation to sign, as JSON: its salt exceeds a double, so it is decimal text. */
function delegationJson(crypto: Crypto, framework: DelegationAddresses, delegation: Delegation) {
  const typed = delegationTypedData(framework, delegation)
  return {
    typed_data: {
      ...typed,
      types: {
        // Wallets that pass the JSON on unchanged (eth_signTypedData_v4) require the domain's type too.
        EIP712Domain: [
          { name: 'name', type: 'string' },
          { name: 'version', type: 'string' },
          { name: 'chainId', type: 'uint256' },
          { name: 'verifyingContract', type: 'address' },
        ],
        ...typed.types,
      },
      message: { ...typed.message, salt: typed.message.salt.toString() },
    },
    digest: delegationDigest(crypto, framework, delegation),
    delegation_hash: delegationHash(crypto, delegation),
  }
}

/** By hash: what is signed for each, and its purpose. */
function curveRootsJson(
  crypto: Crypto,
  framework: DelegationAddresses,
  { curve, fee }: NonNullable<Session['curveRoots']>,
): Pending['sign']['curve_roots'] {
  const entry = (kind: 'curve' | 'fee', root: Delegation) => {
    const json = delegationJson(crypto, framework, root)
    return [json.delegation_hash, { kind, ...json, caveats: describeCaveats(framework, root.caveats) }]
  }
  return Object.fromEntries([entry('curve', curve), entry('fee', fee)])
}

const curvesJson = ({ tokens }: Granted): Pending['curve'] => ({
  tokens: tokens.flatMap(({ address, symbol, curve }) => (curve ? [{ token: address, symbol, curve }] : [])),
  note:
    'Trades on these curves need both roots of `sign.curve_roots` signed. Leave them out to trade through ' +
    'pools only.',
})

const OF_CURVES: readonly OnChainBound[] = ['curve_fee']
const OF_ETH: readonly OnChainBound[] = ['eth_per_day', 'eth_per_trade']

function boundsOf({ session, eth }: Granted): OnChainBound[] {
  return (Object.keys(ON_CHAIN_BOUNDS) as OnChainBound[]).filter(
    (bound) =>
      (session.curveRoots !== null || !OF_CURVES.includes(bound)) &&
      (eth !== null || !OF_ETH.includes(bound)),
  )
}

function thenOf({ setup, session }: Granted): string {
  const parts: string[] = []
  if (setup.length > 0) {
    parts.push('send the steps of `setup` in order from the wallet before a token is sold (ETH needs none)')
  }
  parts.push('sign `sign.delegation.typed_data` with the wallet’s main key')
  if (session.authorization) {
    const first =
      setup.length > 0 ? ' (if the setup is sent before that, sign its `after_setup` instead)' : ''
    parts.push(
      `sign \`sign.authorization\` (EIP-7702, nonce ${session.authorization.nonce}): the first trade ` +
        `carries it${first}`,
    )
  }
  if (session.curveRoots) parts.push('sign each of `sign.curve_roots` to trade on curves')
  parts.push(
    'POST live/session/grant with session_id, delegation_signature and the other signatures; `expires` ' +
      'counts from now',
  )
  const text = parts.join('; ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
