import type { PitClient } from '@pit/client'
import type { Answer } from '@pit/protocol'
import { Badge, Button, bps, Card, count, ether } from '@pit/ui'
import { againstMarksBps } from '../data/receipt.ts'
import { amountOf, namesIn } from '../data/tokens.ts'
import { Link } from '../router.tsx'
import { TxLink } from '../wallet/TxLink.tsx'
import { SignedAndHappened } from './SignedAndHappened.tsx'

type Result = Awaited<ReturnType<PitClient['send']>>

/** After the block: what was signed against what happened. */
export function Receipt(props: { result: Result; config: Answer<'config'>; onAgain(): void }) {
  const { result, config } = props
  const { plan, reading, receipt, amountOut, feePaid } = result
  const names = namesIn(config, plan.tokens)
  const say = (atoms: bigint | string | null, token: string) =>
    atoms === null ? 'unknown; check your balance' : amountOf(names, atoms, token)
  const weth = config.tokens['WETH']?.address.toLowerCase() ?? ''
  const edge = againstMarksBps(result, amountOut, weth)
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
      signed: bps(plan.fee_bps),
      happened: reading.fee ? (feePaid === null ? 'as signed' : say(feePaid, reading.fee.token)) : 'none',
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
        <Button kind="primary" onClick={props.onAgain}>
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
