// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title Stands for the contract that a Nitro node answers for at 0xC8: what a transaction's bytes cost on the
/// parent chain, as gas of this one.
contract NodeInterface {
    uint256 private constant ENVELOPE_BYTES = 140;
    uint256 private constant GAS_PER_BYTE = 16;
    uint256 private constant PARENT_BASE_FEE = 1 gwei;

    function gasEstimateL1Component(address, bool, bytes calldata data)
        external
        payable
        returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)
    {
        return (uint64((ENVELOPE_BYTES + data.length) * GAS_PER_BYTE), block.basefee, PARENT_BASE_FEE);
    }
}
