import {
  AI_FAILED_CALL_CODES,
  AI_HOLD_CODES,
  AI_REFUSED_ANSWER_CODES,
  CLIENT_ERRORS,
  CLIENT_VERIFICATION_RULES,
  type ClientVerificationRule,
  clientCure,
  DIFFERENCES,
  ERROR_GROUPS,
  ERRORS,
  type ErrorCode,
  EXTRAS,
  errorRow,
  extrasOf,
  FAST_RULES,
  HOLD_CODES,
  LEAGUE_HOLD_CODES,
  OUR_HOLD_CODES,
  RETRIES,
  TRANSPORT_CURES,
  WEBHOOK_CODES,
} from '@pit/protocol'

export const GROUP_TITLES: { readonly [Group in (typeof ERROR_GROUPS)[number]]: string } = {
  requests: 'Requests and authentication',
  tokens: 'Tokens',
  risk: 'Risk and policy',
  curve: 'Curve trades',
  relay: 'Relay',
  fast: 'Fast mode',
  sessions: 'Sessions',
  cosigner: "The co-signer's refusals",
  hosted: 'Hosted agents',
  league: 'The league',
}

const CODES = Object.keys(ERRORS) as ErrorCode[]
export const codesOf = (group: (typeof ERROR_GROUPS)[number]): ErrorCode[] =>
  CODES.filter((code) => errorRow(code).group === group)

/** `docs/reference/errors.md`, from the table. */
export function errorsDoc(): string {
  return [
    '# Errors',
    '',
    'Generated from the error table in `packages/protocol`; change it there and run `npm run generate`.',
    '',
    'Every error is `{"error": {"code", "message", …, "retry", "hint"}}`. `code` is stable: branch on it.',
    '`message` is for people. `retry` says what may help, as in the first table below; `hint` is the column',
    '“What to do”. A 429 and most 503s carry `Retry-After` in seconds, repeated as `retry_after_s`.',
    '',
    ...table(
      ['Retry', 'Means'],
      Object.entries(RETRIES).map(([name, means]) => [`\`${name}\``, means]),
    ),
    ...table(
      ['Extra field', 'Means'],
      Object.entries(EXTRAS).map(([name, means]) => [`\`${name}\``, means]),
    ),
    ...ERROR_GROUPS.flatMap((group) => [
      `## ${GROUP_TITLES[group]}`,
      '',
      ...table(HEAD, codesOf(group).map(line)),
    ]),
    '## Codes that this server does not return',
    '',
    'Codes of the contract for other implementations, and why they do not occur here.',
    '',
    ...section(
      null,
      Object.fromEntries(
        CODES.flatMap((code) => {
          const { unusedBecause } = errorRow(code)
          return unusedBecause ? [[code, unusedBecause]] : []
        }),
      ),
    ),
    '## Differences from the contract',
    '',
    'All deliberate ones. A test compares the tables of routes, fields, codes, values, numbers and limits with the ' +
      'contract’s, and accepts no others. Additions (fields, routes and codes of ours) are marked in the reference.',
    '',
    ...table(
      ['What', 'Contract', 'Here', 'Why'],
      DIFFERENCES.map(({ about, contract, here, why }) => [about, contract, here, why]),
    ),
    '## Order of fast-mode rules',
    '',
    '`POST live/fast` returns the first failing rule, and lists all failures in `failures`: ' +
      `${FAST_RULES.join(', ')}.`,
    '',
    '## Inside a running agent',
    '',
    "Written to the agent's log, not returned.",
    '',
    ...section('Held orders', HOLD_CODES),
    ...section('Held orders and ticks, beyond the contract', OUR_HOLD_CODES),
    ...section('Ticks without a model call', AI_HOLD_CODES),
    ...section('Rejected model responses', AI_REFUSED_ANSWER_CODES),
    ...section('Failed model calls', meanings(AI_FAILED_CALL_CODES)),
    ...section('Failed webhooks, beyond the contract', WEBHOOK_CODES),
    ...section('Ticks the league holds', LEAGUE_HOLD_CODES),
    '## Raised by client libraries',
    '',
    "A server's error keeps its code, or is `HTTP_<status>` if the response had none.",
    '',
    '### Errors',
    '',
    ...table(
      ['Code', 'Means', 'What to do'],
      [
        ...Object.entries(CLIENT_ERRORS).map(([code, means]) => [`\`${code}\``, means, clientCure(code)!]),
        ...Object.entries(TRANSPORT_CURES).map(([code, cure]) => [
          `\`${code}\``,
          'not in the contract',
          cure,
        ]),
      ],
    ),
    '### Rules of VERIFICATION_FAILED',
    '',
    ...table(
      ['Rule', 'Means', 'What to do'],
      Object.entries(CLIENT_VERIFICATION_RULES).map(([rule, means]) => [
        `\`${rule}\``,
        means,
        clientCure('VERIFICATION_FAILED', rule as ClientVerificationRule)!,
      ]),
    ),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n')
}

const HEAD = ['Code', 'Status', 'Message', 'What to do', 'Retry', 'Extras']

function line(code: ErrorCode): string[] {
  const row = errorRow(code)
  const statuses = row.statuses.length === 0 ? 'check only' : row.statuses.join(', ')
  return [
    `\`${code}\``,
    statuses,
    row.message,
    row.hint,
    `\`${row.retry}\``,
    extrasOf(code)
      .map((name) => `\`${name}\``)
      .join(' '),
  ]
}

const meanings = (rows: { readonly [code: string]: { meaning: string; worstCase: boolean } }) =>
  Object.fromEntries(
    Object.entries(rows).map(([code, { meaning, worstCase }]) => [
      code,
      worstCase ? `${meaning}; its worst case counts as spent` : meaning,
    ]),
  )

const section = (title: string | null, rows: { readonly [code: string]: string }): string[] => [
  ...(title === null ? [] : [`### ${title}`, '']),
  ...table(
    ['Code', 'Means'],
    Object.entries(rows).map(([code, means]) => [`\`${code}\``, means]),
  ),
]

const table = (head: readonly string[], lines: readonly (readonly string[])[]): string[] => [
  `| ${head.join(' | ')} |`,
  `|${'---|'.repeat(head.length)}`,
  ...lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`),
  '',
]
