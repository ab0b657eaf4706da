// Late Sender for a receiver that does not wait in the receive, but probes or tests for the message first.
// Late Receiver for a sender that tests whether its message was taken. Late Signal for who looks into a window.
//
//   sender    ....................[== MPI_Send ==]
//   probes    ....[~~ MPI_Probe ~~|=][= MPI_Recv =]
//   polls     ...[T~][T~][T~][T~][T|=]
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/patterns/registry.hpp"

namespace waitdiag {

const WaitPattern wait_in_probe{
    .id = "wait_in_probe",
    .title = "Late Sender, in a probe",
    .summary = "A process waited in MPI_Probe or MPI_Mprobe for a message whose send had not started yet.",
    .advice = "Let the sender send earlier, or compute and look for the message with MPI_Iprobe.",
    .rule =
        "enter of the send of the message that is received next - enter of the probe, if the probe was left "
        "after that",
    .in_scalasca = false,
    .waits_for = WaitsFor::Probe,
};

const WaitPattern polling{
    .id = "polling",
    .title = "Late Sender, polling",
    .summary = "A process tested again and again for a message whose send had not started yet.",
    .advice = "Let the sender send earlier, do more work between the tests, or wait with MPI_Wait.",
    .rule =
        "min(enter of send, own leave) - own enter, of each of several test calls at one place with at most "
        "10 us between them; the last one completes the receive; the same of MPI_Request_get_status and "
        "MPI_Parrived, if the next call completes it; and of each row of MPI_Iprobe that was recorded as one "
        "call, if the receive is the next call",
    .in_scalasca = false,
    .waits_for = WaitsFor::Poll,
};

const WaitPattern late_receiver_polling{
    .id = "late_receiver_polling",
    .title = "Late Receiver, polling",
    .summary =
        "A process tested again and again for the end of a send whose receive had not been posted yet.",
    .advice = "Post the receive earlier (MPI_Irecv), or do more work between the tests.",
    .rule =
        "min(enter of receive request, own leave) - own enter, of each of several test calls at one place as "
        "for polling; the last one completes a send that needed its receiver; the longest where it "
        "completes several",
    .in_scalasca = false,
    .waits_for = WaitsFor::PolledSend,
};

const WaitPattern late_signal{
    .id = "late_signal",
    .title = "Late Signal, polling a window",
    .summary = "A process looked into a window again and again until another one had written there.",
    .advice = "Let the other process write earlier, or do more work between the looks.",
    .rule =
        "min(enter of the other's call, own leave) - own enter, of at least three looks at one place "
        "(MPI_Win_sync, MPI_Get, MPI_Fetch_and_op ...) with nothing but short sleep between them; the call "
        "is "
        "the only one of another process that may have written during the last two looks, or that ended its "
        "computation then",
    .in_scalasca = false,
    .waits_for = WaitsFor::Signal,
};

}  // namespace waitdiag
