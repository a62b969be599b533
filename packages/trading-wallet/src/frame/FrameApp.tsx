import { Button, Notice } from '@pit/ui'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { WalletFile } from '../walletFile.ts'
import { Backup } from './Backup.tsx'
import { Confirm } from './Confirm.tsx'
import { Create } from './Create.tsx'
import { currentTask, record, subscribe, type Task, tellSize } from './host.ts'
import { Settings } from './Settings.tsx'
import { Unlock } from './Unlock.tsx'

const TITLES: Record<Task['kind'], string> = {
  create: 'Create a trading wallet',
  unlock: 'Unlock your trading wallet',
  backup: 'Back up your trading wallet',
  settings: 'Trading wallet settings',
  return: 'Send everything back',
  confirm: 'Trading wallet: confirm',
  pins: 'The service’s contracts changed',
}

export function FrameApp() {
  const shown = useSyncExternalStore(subscribe, currentTask)
  const body = useRef<HTMLElement>(null)
  useEffect(() => {
    const main = body.current
    if (!shown || !main) return
    let isSeen = false
    // The page shows the frame a moment later, and hidden elements take no focus.
    const observer = new ResizeObserver(() => {
      if (main.offsetHeight === 0) return
      tellSize(Math.ceil(main.scrollHeight))
      if (isSeen) return
      isSeen = true
      const first = main.querySelector<HTMLElement>('input:not([type=file])')
      ;(first ?? main.querySelector<HTMLElement>('h1'))?.focus()
    })
    observer.observe(main)
    return () => observer.disconnect()
  }, [shown])
  if (!shown) return null
  const { task, finish, cancel } = shown
  return (
    <main
      ref={body}
      className="wallet-frame"
      aria-labelledby="frame-title"
      onKeyDown={({ key }) => key === 'Escape' && cancel()}
    >
      <header className="dialog-head">
        <h1 id="frame-title" tabIndex={-1}>
          {TITLES[task.kind]}
        </h1>
        <Button kind="quiet" tight onClick={cancel}>
          Cancel
        </Button>
      </header>
      <div className="dialog-body">
        <Shown task={task} onDone={finish} onCancel={cancel} />
      </div>
    </main>
  )
}

function Shown({ task, onDone, onCancel }: { task: Task; onDone(): void; onCancel(): void }) {
  switch (task.kind) {
    case 'create':
      return <Create onDone={onDone} />
    case 'unlock':
      return <Unlock onDone={onDone} />
    case 'backup':
      return <Backup onDone={onDone} />
    case 'settings':
      return <Settings onDone={onDone} />
    case 'confirm':
      return <Confirm review={task.review} site={task.site} onDone={onDone} onCancel={onCancel} />
    case 'return':
      return <Return onDone={onDone} />
    case 'pins':
      return <Pins onDone={onDone} />
  }
}

function Return({ onDone }: { onDone(): void }) {
  const { return_address } = (record() as WalletFile).pit!.about
  return (
    <div className="stack">
      <p>Sessions and approvals end first, then tokens move, and ETH last. All of it goes to:</p>
      <p className="mono break">{return_address}</p>
      <p className="small faint">
        For 15 minutes the wallet signs such transactions without asking again, and nothing else.
      </p>
      <div className="row">
        <Button kind="danger" onClick={onDone}>
          Send everything back
        </Button>
      </div>
    </div>
  )
}

function Pins({ onDone }: { onDone(): void }) {
  return (
    <div className="stack">
      <Notice tone="down" title="They are not the ones this wallet accepted before.">
        Everything it signs is checked against them. Continue only if you know why they changed.
      </Notice>
      <div className="row">
        <Button kind="danger" onClick={onDone}>
          Accept the new ones
        </Button>
      </div>
    </div>
  )
}
