import {
  type MinedReading,
  pinsOf,
  readTransaction,
  rpcAt,
  type SignedCall,
  type SignedSwap,
  signedFeeAtoms,
  type TransactionReading,
} from '@pit/client'
import type { ChainProfile } from '@pit/protocol'
import {
  amount,
  Badge,
  bps,
  Card,
  Copied,
  count,
  dateTime,
  Empty,
  ether,
  Facts,
  Loaded,
  Notice,
  Page,
  usePins,
} from '@pit/ui'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { nodeFor } from '../data/node.ts'
import { useTokenFacts } from '../data/own.ts'
import { amountOf, labelOf, type Facts as TokenMap } from '../data/tokens.ts'
import { walletRpcUrl } from '../wallet/rpcUrl.ts'
import { SignedAndHappened } from './SignedAndHappened.tsx'

const NATIVE = `0x${'0'.repeat(40)}`

/** One transaction, read from the verifying node: what was signed against what happened. */
export default function Transaction({ params }: { params: Readonly<Record<string, string>> }) {
  const hash = (params['hash'] ?? '').toLowerCase()
  const pins = usePins()
  return (
    <Page title="Transaction" lead={<span className="mono break">{hash}</span>}>
      {/^0x[0-9a-f]{64}$/.test(hash) ? (
        <Loaded of={pins}>
          {({ profile }) => <Details hash={hash as `0x${string}`} profile={profile} />}
        </Loaded>
      ) : (
        <Empty title="Not a transaction hash. Use 0x and 64 hex digits." />
      )}
    </Page>
  )
}

const LOOK_EVERY_MS = 2_000
/** A busy node may prove it later; many nodes never can. */
const MAX_LOOKS_FOR_ETHER = 4

function Details({ hash, profile }: { hash: `0x${string}`; profile: ChainProfile }) {
  const url = nodeFor(profile).url ?? walletRpcUrl()
  const transaction = useQuery({
    queryKey: ['tx', hash, url],
    queryFn: ({ signal }) => readTransaction(rpcAt(url), pinsOf(profile), hash, signal),
    refetchInterval: ({ state: { data, dataUpdateCount } }) => {
      const isWhole = data?.mined && (data.mined.isEtherKnown || dataUpdateCount >= MAX_LOOKS_FOR_ETHER)
      return isWhole ? false : LOOK_EVERY_MS
    },
  })
  return (
    <Loaded of={transaction}>
      {(reading) =>
        reading === null ? (
          <Empty title="Transaction not found yet. Updates every 2 seconds." />
        ) : (
          <Shown reading={reading} profile={profile} nodeHost={new URL(url).host} />
        )
      }
    </Loaded>
  )
}

interface ShownProps {
  reading: TransactionReading
  profile: ChainProfile
  nodeHost: string
}

function Shown({ reading, profile, nodeHost }: ShownProps) {
  const { signed, mined } = reading
  const pins = pinsOf(profile)
  const names = useTokenFacts([...mentioned(signed), ...(mined?.moves.keys() ?? [])])
  const contracts = new Map<string, string>([
    [pins.router, 'Universal Router'],
    [pins.permit2, 'Permit2'],
    [pins.addresses.manager, 'Delegation manager'],
    [pins.feeRecipient, 'Fee recipient of Pit'],
  ])
  const address = (text: string) => (
    <span className="row">
      {contracts.has(text) && <span>{contracts.get(text)}</span>}
      <Copied text={text} />
    </span>
  )
  return (
    <>
      <Card title={titleOf(signed, names)} actions={<Status mined={mined} />}>
        {signed.kind === 'swap' ? (
          <Compared signed={signed} mined={mined} names={names} />
        ) : (
          <Facts rows={factsOf(signed, names, address)} />
        )}
        {mined?.isReverted && (
          <Notice tone="down" title="The transaction was reverted: nothing moved, only the gas was paid." />
        )}
      </Card>
      {mined && mined.moves.size > 0 && <Moves mined={mined} signed={signed} names={names} />}
      <Card title="Details">
        <Facts
          rows={[
            ['Block', mined ? count(mined.block) : 'pending'],
            ['Time', mined?.timeS == null ? '–' : dateTime(mined.timeS)],
            ['From', address(reading.from)],
            ['To', reading.to ? address(reading.to) : 'a new contract'],
            ['ETH sent', ether(reading.valueWei)],
            ['Nonce', reading.nonce],
            ['Gas fee', mined ? `${amount(mined.feeWei, 18, 9)} ETH` : '–'],
            ['Events', mined ? count(mined.events) : '–'],
            ['Read from', nodeHost],
            ...(profile.kind === 'devnet' ? [] : [explorerRow(profile, reading.hash)]),
          ]}
        />
      </Card>
    </>
  )
}

const explorerRow = ({ explorer_tx }: ChainProfile, hash: string): readonly [string, ReactNode] => [
  'Explorer',
  <a key="explorer" href={`${explorer_tx}${hash}`} target="_blank" rel="noreferrer">
    Open in the explorer
  </a>,
]

const Status = ({ mined }: { mined: MinedReading | null }) => {
  if (mined === null) return <Badge>Pending</Badge>
  return mined.isReverted ? <Badge tone="down">Reverted</Badge> : <Badge tone="up">Succeeded</Badge>
}

function mentioned(signed: SignedCall): string[] {
  if (signed.kind === 'other') return []
  if (signed.kind !== 'swap') return [signed.token]
  return [signed.tokenIn, signed.tokenOut].filter((token) => token !== null)
}

function titleOf(signed: SignedCall, names: TokenMap): string {
  switch (signed.kind) {
    case 'swap':
      if (signed.tokenIn === null || signed.tokenOut === null) return 'Trade on a curve'
      return `${signed.isSession ? 'Session trade' : 'Trade'}: ${labelOf(names, signed.tokenIn)} for ${labelOf(names, signed.tokenOut)}`
    case 'approval':
      return signed.amount === 0n ? 'Approval removed' : `Approval of ${labelOf(names, signed.token)}`
    case 'transfer':
      return `Transfer of ${labelOf(names, signed.token)}`
    case 'other':
      return 'Contract call'
  }
}

/** Above this an allowance means "without limit". */
const UNLIMITED = 2n ** 159n

function factsOf(
  signed: Exclude<SignedCall, SignedSwap>,
  names: TokenMap,
  address: (text: string) => ReactNode,
): (readonly [string, ReactNode])[] {
  switch (signed.kind) {
    case 'approval':
      return [
        ['Token', address(signed.token)],
        ['May be spent by', address(signed.spender)],
        ['Up to', signed.amount > UNLIMITED ? 'no limit' : amountOf(names, signed.amount, signed.token)],
        ...(signed.expiresS === null ? [] : [['Until', dateTime(signed.expiresS)] as const]),
      ]
    case 'transfer':
      return [
        ['Amount', amountOf(names, signed.amount, signed.token)],
        ['To', address(signed.to)],
      ]
    case 'other':
      return [
        [
          'Method',
          <span key="method" className="mono">
            {signed.selector}
          </span>,
        ],
      ]
  }
}

/** Signed bounds beside what the block contains. */
function Compared(props: { signed: SignedSwap; mined: MinedReading | null; names: TokenMap }) {
  const { signed, mined, names } = props
  const { tokenIn, tokenOut, fee } = signed
  const moved = (token: string | null): bigint | null => {
    if (token === null || mined === null || mined.isReverted) return null
    return mined.moves.get(token as `0x${string}`) ?? null
  }
  const [sold, received] = [moved(tokenIn), moved(tokenOut)]
  const say = (atoms: bigint | null, token: string | null) =>
    atoms === null ? '–' : token === null ? `${atoms} atoms` : amountOf(names, atoms, token)
  const unproven = mined !== null && !mined.isEtherKnown && [tokenIn, tokenOut].includes(NATIVE as never)
  const feePaid = mined?.feePaid ?? null
  const rows = [
    {
      what: 'Sold',
      signed: `at most ${say(signed.amountIn, tokenIn)}`,
      happened: say(sold && -sold, tokenIn),
    },
    {
      what: 'Received',
      signed: `at least ${say(signed.amountOutMin, tokenOut)}`,
      happened: say(received, tokenOut),
    },
    ...(fee === null
      ? []
      : [
          {
            what: 'Fee',
            signed:
              'bps' in fee.pays
                ? `${bps(fee.pays.bps)} of the output`
                : say(signedFeeAtoms(signed, received, feePaid), fee.token),
            happened: say(feePaid, fee.token),
          },
        ]),
    {
      what: 'Time',
      signed: signed.deadlineS === null ? 'no deadline' : `until ${dateTime(Number(signed.deadlineS))}`,
      happened: mined?.timeS == null ? '–' : dateTime(mined.timeS),
    },
  ]
  return (
    <>
      <SignedAndHappened rows={rows} />
      {unproven && (
        <p className="small faint">This node cannot prove how much ETH moved inside the transaction.</p>
      )}
    </>
  )
}

function Moves({ mined, signed, names }: { mined: MinedReading; signed: SignedCall; names: TokenMap }) {
  const whose = signed.kind === 'swap' && signed.isSession ? 'the session’s wallet' : 'the sender'
  return (
    <Card title={`Balance changes of ${whose}`}>
      <Facts
        rows={[...mined.moves].map(([token, atoms]) => [
          labelOf(names, token),
          <span key={token} className={atoms > 0n ? 'up-text num' : 'down-text num'}>
            {`${atoms > 0n ? '+' : ''}${amountOf(names, atoms, token)}`}
          </span>,
        ])}
      />
      <p className="small faint">Without the gas fee.</p>
    </Card>
  )
}
