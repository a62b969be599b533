import { refuse } from './errors.ts'

/** 100,000 rows; a longer history is read from its period's end by `before`. */
const MAX_PAGES = 1_000

/**
 * A page of a list, newest first.
 * @public
 */
export interface PageOf<Row> {
  rows: readonly Row[]
  next_before: number | null
}

/**
 * Rows of a paged list, newest first. Every page but the last is full and lies below the one before it, and the
 * pages end: a server cannot keep a reader busy for ever.
 * @param read reads the page of `limit` rows below `before`
 * @param options `what` names the list in a refusal, `limit` is the size of a page
 * @throws ACCOUNT_SHAPE a page is out of order, not full, or the pages do not end
 * @public
 */
export async function* readPages<Row extends { id: number }>(
  read: (before: number | undefined) => Promise<PageOf<Row>>,
  { what, limit }: { what: string; limit: number },
): AsyncGenerator<Row> {
  let before: number | undefined
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const { rows, next_before } = await read(before)
    checkPage({ rows, next_before }, { what, limit, before })
    yield* rows
    if (next_before === null) return
    before = next_before
  }
  refuse('ACCOUNT_SHAPE', `${what}: the server lists more than ${MAX_PAGES} pages`)
}

function checkPage(
  { rows, next_before }: PageOf<{ id: number }>,
  { what, limit, before }: { what: string; limit: number; before: number | undefined },
): void {
  let last = before ?? Number.POSITIVE_INFINITY
  for (const { id } of rows) {
    if (id >= last) refuse('ACCOUNT_SHAPE', `${what}: row ${id} is out of order or listed twice`)
    last = id
  }
  if (rows.length > limit) refuse('ACCOUNT_SHAPE', `${what}: a page has more than ${limit} rows`)
  if (next_before === null) return
  if (rows.length < limit)
    refuse('ACCOUNT_SHAPE', `${what}: a page before the last one has fewer than ${limit} rows`)
  if (next_before !== last) refuse('ACCOUNT_SHAPE', `${what}: next_before is not the last row of its page`)
}
