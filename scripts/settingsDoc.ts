import { rateRows } from '@pit/api-docs'

interface Settings {
  [name: string]: { default: string; means: string }
}
export interface ProcessSettings {
  process: string
  settings: Settings
}

/** Every setting of every process, each once. */
export function envExample(processes: ProcessSettings[]): string {
  const lines = ['# Every setting with its default. Copy what you change to your environment.', '']
  const seen = new Set<string>()
  for (const { process, settings } of processes) {
    lines.push(`# ${process}`)
    for (const [name, setting] of Object.entries(settings)) {
      if (seen.has(name)) continue
      seen.add(name)
      lines.push(`# ${setting.means}`, `#${name}=${setting.default}`)
    }
    lines.push('')
  }
  return `${lines.join('\n').trimEnd()}\n`
}

export function configurationDoc(processes: ProcessSettings[]): string {
  const lines = [
    '# Configuration',
    '',
    'Settings are environment variables, read once at the start. An invalid value stops the start and ' +
      'names the setting. Generated from tables in `packages/*/src` by `npm run generate`.',
  ]
  for (const { process, settings } of processes) {
    lines.push('', `## ${process}`, '', '| setting | default | meaning |', '|---|---|---|')
    for (const [name, setting] of Object.entries(settings)) {
      lines.push(
        `| \`${name}\` | ${setting.default === '' ? '' : `\`${setting.default}\``} | ${setting.means} |`,
      )
    }
  }
  lines.push('', ...rateLimits())
  return `${lines.join('\n')}\n`
}

const rateLimits = (): string[] => [
  '## Rate limits of the server',
  '',
  'Token buckets: a burst, then a steady rate. Beyond it the error is RATE_LIMITED with `Retry-After`, and ' +
    '`bucket` names the row. Limits per `overall` are multiplied by `RATE_OVERALL_FACTOR`, all of them by ' +
    '`RATE_LIMIT_SCALE`.',
  '',
  '| bucket | requests | per | burst | then |',
  '|---|---|---|---|---|',
  ...rateRows().map(
    ({ id, what, per, burst, rate }) =>
      `| \`${id}\` | ${what.replaceAll('<', '&lt;')} | ${per} | ${burst} | ${rate} |`,
  ),
]
