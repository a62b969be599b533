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

/** `pit-admin sanctions update`: the Treasury's list, checked, kept and put in force. */
export const sanctionsCommand = (request: AskFor, file: string | undefined): Command =>
  new Command('sanctions').description('The sanctions list.').addCommand(
    new Command('update')
      .description('Takes the US Treasury’s SDN.XML or SDN_ADVANCED.XML; running processes take it up.')
      .argument('<source>', 'a file, or an https address')
      .option(
        '--out <file...>',
        'where it is put; SANCTIONS_FILE otherwise. The signer has a copy of its own',
      )
      .option('--max-shrink <pct>', 'how many percent fewer addresses than before are taken', percent, 10)
      .option('--reason <text>', 'why, for a list older than the one in force')
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
  if (before) print(`before: ${before.addresses} addresses, published on ${before.published_on}`)
}

function percent(text: string): number {
  const value = Number(text)
  if (!/^\d{1,3}$/.test(text) || value > 100) throw new InvalidArgumentError('0 to 100')
  return value
}
