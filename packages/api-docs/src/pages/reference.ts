import {
  type AnyRoute,
  AREAS,
  type Area,
  CAPS,
  ERROR_GROUPS,
  type ErrorCode,
  errorRow,
  RETRIES,
  ROUTE_IDS,
  routeById,
} from '@pit/protocol'
import type { TSchema } from '@sinclair/typebox'
import { codesOf, GROUP_TITLES } from '../errorsDoc.ts'
import { exampleCurl } from '../example.ts'
import { codesByStatus } from '../openapi.ts'
import { rateRows } from '../rateRows.ts'
import { collectNamed, type Field, fieldsOf, typeWords } from './fields.ts'
import { guideTools, scriptTag, toHtml } from './guideTools.ts'
import { REFERENCE_STYLE } from './referenceStyle.ts'

const AREA_TITLES: { readonly [A in Area]: string } = {
  server: 'Server',
  auth: 'Sign-in and keys',
  tokens: 'Tokens',
  live: 'Trading',
  sessions: 'Sessions',
  hosted: 'Hosted agents',
  account: 'Account',
  league: 'League',
}
const AREA_NAMES = Object.keys(AREAS) as Area[]
const ALL = ROUTE_IDS.map(routeById)
const inArea = (area: Area) => ALL.filter((route) => route.area === area)

interface ReferenceInput {
  version: string
  serverUrl: string
  /** As in the guide. */
  script?: string
}

/** The reference as one static page without external resources. */
export function referencePage({ version, serverUrl, script = '' }: ReferenceInput): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pit API reference</title>
<style>${REFERENCE_STYLE}</style>${scriptTag(script)}
</head>
<body>
<div class="page">
<nav aria-label="Contents">${contents(version)}</nav>
<main>
${introduction(version, serverUrl)}
${AREA_NAMES.map((area) => areaSection(area, serverUrl)).join('\n')}
${objectSection()}
${rateSection()}
${errorSection()}
</main>
</div>
</body>
</html>
`
}

const code = (text: string): string => `<code>${toHtml(text)}</code>`
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<div class="scroll" tabindex="0"><table><thead>${tableRow('th', head)}</thead>` +
  `<tbody>${rows.map((cells) => tableRow('td', cells)).join('')}</tbody></table></div>`
const tableRow = (tag: 'th' | 'td', cells: readonly string[]): string =>
  `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
const anchor = (route: AnyRoute): string => route.id.replaceAll('.', '-')
const title = (route: AnyRoute): string =>
  `<span class="method ${route.method}">${route.method}</span>${code(route.path)}`

function contents(version: string): string {
  const areas = AREA_NAMES.map((area) => {
    const links = inArea(area).map(
      (route) =>
        `<li><a href="#${anchor(route)}"><span class="method ` +
        `${route.method}">${route.method}</span>${toHtml(route.path.slice(8))}</a></li>`,
    )
    return `<h2>${AREA_TITLES[area]}</h2><ul>${links.join('')}</ul>`
  })
  return (
    `<a href="#top"><strong>Pit API</strong></a>${guideTools(version, '/guide/changelog')}${areas.join('')}` +
    '<h2>More</h2><ul><li><a href="#objects">Objects</a></li><li><a href="#rates">Rate limits</a></li>' +
    '<li><a href="#errors">Errors</a></li><li><a href="/api/v1/openapi.json">OpenAPI 3.1</a></li></ul>'
  )
}

const introduction = (version: string, serverUrl: string): string => `<h1 id="top">Pit API</h1>
<p>A non-custodial trading API for software agents on EVM chain 4663. Version ${code(version)}, at ${code(serverUrl)}.</p>
<p>Bodies and responses are JSON. Token amounts are strings in the token’s smallest unit, dollar amounts are numbers, times are unix seconds. A token is named by a core symbol or its address. Symbols, names and labels are third-party text: show them as plain text. Explanations and examples are in the <a href="/guide">guide</a>.</p>
<p>A key goes in ${code('Authorization: Bearer pit_w_…')}. Get one by signing a message: <a href="#auth-challenge">challenge</a>, sign, <a href="#auth-verify">verify</a>. An error is ${code('{"error": {"code", "message", …, "retry", "hint"}}')}: branch on the code; ${code('retry')} is the <a href="#errors">retry advice</a>. Responses have ${code('X-Request-Id')} and ${code('Cache-Control: no-store')}; clients must ignore unknown fields. <span class="tag ours">ours</span> marks additions to the published contract.</p>`

const areaSection = (area: Area, serverUrl: string): string =>
  `<h2 id="${area}">${AREA_TITLES[area]}</h2>${inArea(area)
    .map((route) => routeSection(route, serverUrl))
    .join('\n')}`

function routeSection(route: AnyRoute, serverUrl: string): string {
  const tags = [
    `auth: ${route.auth}`,
    ...route.buckets.map((id) => `limit: ${id}`),
    ...(route.strictFields ? ['fields are exact'] : []),
    ...(route.status === 200 ? [] : [`status ${route.status}`]),
  ].map((text) => `<span class="tag">${toHtml(text)}</span>`)
  if (route.ours) tags.push('<span class="tag ours">ours</span>')
  return `<section><h3 id="${anchor(route)}">${title(route)} <a href="#${anchor(route)}" aria-label="link to this route">#</a></h3>
<p>${toHtml(route.summary)}</p><p>${tags.join('')}</p>
<pre tabindex="0">${toHtml(exampleCurl(route, serverUrl))}</pre>
${requestTables(route)}
<details><summary>Response</summary>${variantTables('', route.answer)}</details>
<details><summary>Errors (${route.errors.length})</summary>${table(
    ['Status', 'Codes'],
    codesByStatus(route).map(([status, codes]) => [
      status,
      codes
        .map(
          (name) => codeLink(name) + (route.byContract.includes(name) ? ' (named by the contract only)' : ''),
        )
        .join(', '),
    ]),
  )}</details></section>`
}

const requestTables = ({ params, query, body, takesBody }: AnyRoute): string =>
  fieldTable('Path', params) + fieldTable('Query', query) + (takesBody ? variantTables('Body', body) : '')

const codeLink = (name: ErrorCode): string => `<a href="#${name}">${code(name)}</a>`

/** A union is shown variant by variant. */
function variantTables(heading: string, schema: TSchema): string {
  const variants = (schema['anyOf'] as TSchema[] | undefined) ?? [schema]
  return variants
    .map((variant, index) => {
      const name =
        (variant['title'] as string | undefined) ?? (variants.length > 1 ? `form ${index + 1}` : '')
      const words = [heading, name].filter(Boolean).join(': ')
      return (
        fieldTable(words, variant) || `<p>${toHtml((variant['description'] as string | undefined) ?? '')}</p>`
      )
    })
    .join('')
}

function fieldTable(heading: string, schema: TSchema): string {
  const fields = fieldsOf(schema)
  if (fields.length === 0) return ''
  return `${heading === '' ? '' : `<h4>${toHtml(heading)}</h4>`}${table(
    ['Field', 'Type', '', ''],
    fields.map(fieldRow),
  )}`
}
const fieldRow = (field: Field): string[] => [
  code(field.name),
  toHtml(field.type),
  toHtml(field.needed),
  toHtml(field.description),
]

function objectSection(): string {
  const named = new Map<string, TSchema>()
  for (const route of ALL) for (const schema of [route.body, route.answer]) collectNamed(schema, named)
  const objects = [...named].sort(([a], [b]) => a.localeCompare(b))
  const sections = objects.map(([name, schema]) => {
    const content = fieldTable('', schema) || `<p>${toHtml(typeWords(schema))}</p>`
    return `<details id="object-${toHtml(name)}"><summary>${code(name)}</summary>${content}</details>`
  })
  return `<h2 id="objects">Objects</h2><p>Named in the tables above.</p>${sections.join('')}`
}

function rateSection(): string {
  const rows = rateRows().map(({ id, what, per, burst, rate }) => [code(id), toHtml(what), per, burst, rate])
  const caps = Object.values(CAPS).map(
    (cap) =>
      `<li>${cap.what}: ${cap.perAddressPerDay} per address and day, ${cap.overallPerHour} per hour ` +
      `overall; then ${codeLink(cap.code)}</li>`,
  )
  return (
    '<h2 id="rates">Rate limits</h2><p>Token buckets: a burst, then a steady rate. Beyond it the error is ' +
    `${codeLink('RATE_LIMITED')} with ${code('Retry-After')}. Limits per ${code('overall')} are a ` +
    `multiple of these numbers.</p>${table(['Bucket', 'What', 'Per', 'Burst', 'Then'], rows)}<ul>` +
    `${caps.join('')}</ul>`
  )
}

function errorSection(): string {
  const retries = Object.entries(RETRIES).map(([name, means]) => [code(name), toHtml(means)])
  const groups = ERROR_GROUPS.map(
    (group) =>
      `<h3>${toHtml(GROUP_TITLES[group])}</h3>${table(
        ['Code', 'Status', 'Meaning', 'What to do', 'Retry'],
        codesOf(group).map(errorLine),
      )}`,
  )
  return `<h2 id="errors">Errors</h2>${table(['Retry', 'Means'], retries)}${groups.join('')}`
}

function errorLine(name: ErrorCode): string[] {
  const row = errorRow(name)
  return [
    `<span id="${name}">${code(name)}</span>`,
    row.statuses.length === 0 ? 'a check only' : row.statuses.join(', '),
    toHtml(row.message),
    toHtml(row.hint),
    code(row.retry),
  ]
}
