import { Button, Notice, toast } from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { queries } from '../data/api.ts'
import { openClient } from '../wallet/connect.ts'

/**
 * The next step for a grant that did not finish, such as after a reload. Signed: its root may have left this
 * browser, so it ends on chain like any other. Not signed here: it is discarded.
 */
export function PendingSession(props: { sessionId: string; isSigned: boolean; onGrant(): void }) {
  const discarding = useMutation({
    mutationFn: async () => {
      const { client } = await openClient()
      return client.api['live.session.revoke']({ body: { session_id: props.sessionId } })
    },
    onSuccess: () => toast('Grant discarded. If you signed it in another browser, revoke it there.'),
    onSettled: () => queries.invalidateQueries({ queryKey: ['me.sessions'] }),
  })
  return (
    <Notice
      tone="warn"
      title={
        props.isSigned ? 'You signed this session, but it is not registered' : 'This grant was not signed'
      }
    >
      <p>
        {props.isSigned
          ? 'The registration was interrupted, so it cannot trade. Revoke it, then grant a new session.'
          : 'It was interrupted before your signature, so it cannot trade. Grant a new session, or discard it.'}
      </p>
      <div className="row">
        <Button tight onClick={props.onGrant}>
          New session
        </Button>
        {!props.isSigned && (
          <Button tight busy={discarding.isPending} onClick={() => discarding.mutate()}>
            Discard
          </Button>
        )}
      </div>
    </Notice>
  )
}
