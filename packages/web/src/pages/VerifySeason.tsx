import { Button, Card, Code, Facts, Failure, many, Notice, pinsQuery } from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { queries } from '../data/api.ts'
import { type Recount, recount } from '../data/recount.ts'

/** Recounts a decided season in the browser. */
export function VerifySeason({ season, isDecided }: { season: number; isDecided: boolean }) {
  const verifying = useMutation({
    mutationFn: async () => recount(season, await queries.ensureQueryData(pinsQuery)),
  })
  return (
    <Card title="Verify this season">
      <p>
        {isDecided
          ? 'Your browser recounts every book, rank, rule and prize from the public record of trades, prices and balances.'
          : 'Available once the season is decided: about three days after its end.'}
      </p>
      {isDecided && (
        <div className="row">
          <Button busy={verifying.isPending} onClick={() => verifying.mutate()}>
            Verify in this browser
          </Button>
        </div>
      )}
      {verifying.error && <Failure error={verifying.error} />}
      {verifying.data && <Outcome {...verifying.data} />}
      {isDecided && (
        <Code
          text={`pit league verify ${season}`}
          label="Also compares transactions, balances and funders with your own node."
        />
      )}
    </Card>
  )
}

function Outcome({ entrants, trades, difference }: Recount) {
  const counted = `${many(entrants, 'entrant')}, ${many(trades, 'transaction')} recounted.`
  if (difference === null)
    return (
      <Notice tone="up" title="Equal: the standings follow from the record">
        {counted}
      </Notice>
    )
  return (
    <Notice tone="down" title="The standings do not follow from the record">
      <p>{counted}</p>
      <Facts
        rows={[
          ['First difference', difference.path],
          ['Published', difference.recorded],
          ['Recounted', difference.rebuilt],
        ]}
      />
    </Notice>
  )
}
