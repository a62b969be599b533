import type { PlacedList } from '@pit/client'
import { Copied, dateTime, Facts, Notice } from '@pit/ui'

type Receipt = NonNullable<PlacedList['receipt']>

const TITLES: Record<Receipt['what'], string> = {
  registered: 'The co-signer registered the orders',
  cancelled: 'The co-signer cancelled the order',
  filled: 'The order was filled before',
  replaced: 'The order was replaced before',
  expired: 'The order had expired',
  not_registered: 'The order was never registered, and now cannot be',
  open: 'The order is open',
  status: 'The co-signer reports the order',
  revoked: 'The co-signer ended the session',
}

/** The co-signer’s signed confirmation, verified in this browser. */
export function OrderReceipt({ receipt, unit }: { receipt: Receipt; unit(atoms: string): string }) {
  const { what, id, at, outstanding, until } = receipt
  return (
    <Notice tone="up" title={TITLES[what]}>
      <Facts
        rows={[
          ['Confirmed', dateTime(at)],
          [
            'Still on its way',
            outstanding === '0' ? 'nothing' : `${unit(outstanding)} until ${dateTime(until)}`,
          ],
          [what === 'registered' ? 'List' : 'Order', <Copied key="id" text={id} />],
          ['Signature', 'Verified: by the co-signer'],
        ]}
      />
    </Notice>
  )
}
