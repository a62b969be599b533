import type { PitClient } from '@pit/client'
import { Badge, Button, bps, Card, count, ether } from '@pit/ui'
import { usePinned, useTokenFacts } from '../data/own.ts'
import { againstMarksBps } from '../data/receipt.ts'
import { amountOf } from '../data/tokens.ts'
import { Link } from '../router.tsx'
import { TxLink } from '../wallet/TxLink.tsx'
import { SignedAndHappened } from './SignedAndHappened.tsx'

type Result = Awaited<ReturnType<PitClient['send']>>

/** After the block: what was signed against what happened, by the verifying node. */
export function Receipt({ result, onAgain }: { result: Result; onAgain(): void }) {
  const { reading, receipt, amountOut, feePaid } = result
  const pins = usePinned()
  const facts = useTokenFacts([reading.tokenIn, reading.tokenOut])
  const say = (atoms: bigint | null, token: string) =>
    atoms === null ? 'unknown; check your balance' : amountOf(facts, atoms, token)
  const edge = pins && againstMarksBps(result, amountOut, pins.weth)
  const { fee } = reading
  const rows = [
    {
      what: 'Sold',
      signed: say(reading.amountIn, reading.tokenIn),
      happened: say(reading.amountIn, reading.tokenIn),
    },
    {
      what: 'Received',
      signed: `at least ${say(reading.amountOutMin, reading.tokenOut)}`,
      happened: say(amountOut, reading.tokenOut),
    },
    {
      what: 'Fee',
      signed: fee === null ? 'none' : 'bps' in fee.pays ? bps(fee.pays.bps) : say(fee.pays.atoms, fee.token),
      happened: fee ? (feePaid === null ? 'as signed' : say(feePaid, fee.token)) : 'none',
    },
    { what: 'Price against mark', signed: null, happened: edgeText(edge) },
    {
      what: 'Gas',
      signed: null,
      happened: ether(receipt.gasUsed * receipt.gasPriceWei),
    },
  ]
  return (
    <Card title="Receipt" actions={<Badge tone="up">{`Mined in block ${count(receipt.block)}`}</Badge>}>
      <SignedAndHappened rows={rows} />
      <p className="row between">
        <span>
          Transaction <TxLink hash={receipt.hash} />
        </span>
        <Link href="/portfolio">Portfolio</Link>
      </p>
      <div className="row">
        <Button kind="primary" onClick={onAgain}>
          New trade
        </Button>
      </div>
    </Card>
  )
}

function edgeText(edge: number | null): string {
  if (edge === null) return 'no mark'
  return `${bps(Math.abs(edge))} ${edge >= 0 ? 'better' : 'worse'}, fee included`
}
