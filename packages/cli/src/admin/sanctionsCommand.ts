import { Command, InvalidArgumentError } from 'commander'
import { openList } from './openList.ts'
import type { Print } from './print.ts'
import { updateSanctions } from './updateSanctions.ts'

interface Taken {
  addresses: number
  published_on: string
  sha256: string
  before: { addresses: number; published_on: string } | null
}

type AskFor = (
  name: string,
  input: Record<string, unknown>,
  show: (print: Print, answer: Taken) => void,
  reason?: string | null,
) => Promise<void>

/** `pit-admin sanctions update`: checks, records and installs the US Treasury's list. */
export const sanctionsCommand = (request: AskFor, file: string | undefined): Command =>
  new Command('sanctions').description('Sanctions list.').addCommand(
    new Command('update')
      .description('Import the US Treasury’s SDN.XML or SDN_ADVANCED.XML. Running processes reload it.')
      .argument('<source>', 'File or https URL')
      .option('--out <file...>', 'Files to write (default: SANCTIONS_FILE); name the signer’s copy too')
      .option('--max-shrink <pct>', 'Maximum decrease of the number of addresses, in percent', percent, 10)
      .option('--reason <text>', 'Reason, required if the list is older than the current one')
      .action((source: string, { out, maxShrink, reason }: UpdateOptions) =>
        updateSanctions(
          {
            open: openList,
            nowMs: Date.now,
            record: ({ addresses, publishedOn, sha256 }) =>
              request(
                'sanctions.update',
                {
                  addresses: addresses.length,
                  published_on: publishedOn,
                  sha256,
                  source,
                  max_shrink_pct: maxShrink,
                },
                show,
                reason ?? null,
              ),
          },
          { source, files: out ?? (file ? [file] : []) },
        ),
      ),
  )

interface UpdateOptions {
  out?: string[]
  maxShrink: number
  reason?: string
}

function show(print: Print, { addresses, published_on, sha256, before }: Taken): void {
  print(`${addresses} addresses, published on ${published_on}, sha256 ${sha256}`)
  if (before) print(`previous: ${before.addresses} addresses, published on ${before.published_on}`)
}

function percent(text: string): number {
  const value = Number(text)
  if (!/^\d{1,3}$/.test(text) || value > 100) throw new InvalidArgumentError('Must be from 0 to 100.')
  return value
}
