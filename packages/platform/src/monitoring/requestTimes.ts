import type { Metric, Registry } from 'prom-client'

const NAME = 'pit_http_request_seconds'
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface Row {
  route: string
  status: number
  /** One count per bucket, and one for slower requests. */
  counts: Float64Array
  sum: number
}

/** A custom histogram in prom-client's registry: prom-client's own hashes the labels on every request. */
export function createRequestTimes(
  registry: Registry,
): (route: string, status: number, seconds: number) => void {
  const rows = new Map<string, Row[]>()
  const metric = {
    name: NAME,
    reset: () => rows.clear(),
    get: async () => ({
      name: NAME,
      help: 'Response time by route and status.',
      type: 'histogram',
      aggregator: 'sum',
      values: [...rows.values()].flatMap((byStatus) => Object.values(byStatus)).flatMap(valuesOf),
    }),
  }
  registry.registerMetric(metric as unknown as Metric)

  return (route, status, seconds) => {
    let byStatus = rows.get(route)
    if (byStatus === undefined) {
      byStatus = []
      rows.set(route, byStatus)
    }
    let row = byStatus[status]
    if (row === undefined) {
      row = { route, status, counts: new Float64Array(SECONDS.length + 1), sum: 0 }
      byStatus[status] = row
    }
    let bound = 0
    while (bound < SECONDS.length && seconds > SECONDS[bound]!) bound += 1
    row.counts[bound]! += 1
    row.sum += seconds
  }
}

/** The text format's buckets are cumulative. */
function valuesOf({ route, status, counts, sum }: Row) {
  const labels = { route, status: String(status) }
  let total = 0
  const buckets = [...SECONDS, '+Inf'].map((le, i) => {
    total += counts[i]!
    return { metricName: `${NAME}_bucket`, labels: { le: String(le), ...labels }, value: total }
  })
  return [
    ...buckets,
    { metricName: `${NAME}_sum`, labels, value: sum },
    { metricName: `${NAME}_count`, labels, value: total },
  ]
}
