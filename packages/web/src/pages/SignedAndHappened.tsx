import { Facts } from '@pit/ui'

export interface Compared {
  what: string
  happened: string
  /** The bound that was signed; null without one. */
  signed: string | null
}

/** Mined values, each with its signed bound. */
export const SignedAndHappened = ({ rows }: { rows: readonly Compared[] }) => (
  <Facts
    rows={rows.map(({ what, happened, signed }) => [
      what,
      <span key={what}>
        <strong>{happened}</strong>
        {signed !== null && <span className="small faint block">{`signed: ${signed}`}</span>}
      </span>,
    ])}
  />
)
