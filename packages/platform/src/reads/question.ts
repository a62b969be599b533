import { type Rpc, type RpcCall, RpcError, RpcUnreachable } from '../rpc/index.ts'

/** A request to the node and the parser of its result. */
export interface Question<T> {
  call: RpcCall
  /** Undefined for an invalid result. */
  parse(result: unknown): T | undefined
  /** For requests whose rejection is a result too. */
  refused?(error: RpcError): T | undefined
}

export interface Bound {
  timeoutMs?: number
}
export interface BatchBound extends Bound {
  /** Requests per batch, since nodes limit it. All in one by default. */
  perRequest?: number
}

/** Batch size for long lists. */
export const PAGED: BatchBound = { perRequest: 100, timeoutMs: 5_000 }

type Answers<Questions extends readonly Question<unknown>[], None> = {
  -readonly [K in keyof Questions]: Questions[K] extends Question<infer T> ? T | None : never
}

const unreadable = ([method]: RpcCall): RpcUnreachable =>
  new RpcUnreachable(`${method}: the response cannot be parsed`, { why: 'unreadable' })

/** Sends one question. Throws unless it is answered. */
export async function readOne<T>(
  rpc: Pick<Rpc, 'request'>,
  { call, parse, refused }: Question<T>,
  bound: Bound = {},
): Promise<T> {
  const [method, params] = call
  let value: T | undefined
  try {
    value = parse(await rpc.request(method, params, bound))
  } catch (error) {
    value = error instanceof RpcError ? refused?.(error) : undefined
    if (value === undefined) throw error
  }
  if (value === undefined) throw unreadable(call)
  return value
}

/**
 * Many in one request, in order; undefined for those the node rejects. Throws if it does not answer at all.
 */
export async function readAll<const Questions extends readonly Question<unknown>[]>(
  rpc: Pick<Rpc, 'batch'>,
  questions: Questions,
  bound: BatchBound = {},
): Promise<Answers<Questions, undefined>> {
  const answers = await askEach(rpc, questions, bound)
  return answers.map(({ value }) => value) as Answers<Questions, undefined>
}

/** Many in one request, in order. Throws unless all are answered. */
export async function needAll<const Questions extends readonly Question<unknown>[]>(
  rpc: Pick<Rpc, 'batch'>,
  questions: Questions,
  bound: BatchBound = {},
): Promise<Answers<Questions, never>> {
  const answers = await askEach(rpc, questions, bound)
  return answers.map(({ value, error }, i) => {
    if (value === undefined) throw error ?? unreadable(questions[i]!.call)
    return value
  }) as Answers<Questions, never>
}

async function askEach(
  rpc: Pick<Rpc, 'batch'>,
  questions: readonly Question<unknown>[],
  { perRequest = questions.length, ...bound }: BatchBound,
): Promise<{ value: unknown; error?: RpcError }[]> {
  const parsed: { value: unknown; error?: RpcError }[] = []
  for (let at = 0; at < questions.length; at += perRequest) {
    const page = questions.slice(at, at + perRequest)
    const answers = await rpc.batch(
      page.map(({ call }) => call),
      bound,
    )
    for (const [i, { parse, refused }] of page.entries()) {
      const answer = answers[i]
      if (answer?.ok) parsed.push({ value: parse(answer.result) })
      else if (answer) parsed.push({ value: refused?.(answer.error), error: answer.error })
      else parsed.push({ value: undefined })
    }
  }
  return parsed
}
