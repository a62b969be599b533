// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Specimen} from "./Specimen.sol";

/// @title Its owner can stop all transfers.
contract Pausable is Specimen {
    event Paused(address account);
    event Unpaused(address account);

    error EnforcedPause();

    bool public paused;

    constructor(string memory n, string memory s, uint256 supply) Specimen(n, s, supply) {}

    function pause() external onlyOwner {
        paused = true;
        emit Paused(msg.sender);
    }

    function unpause() external onlyOwner {
        paused = false;
        emit Unpaused(msg.sender);
    }

    function _move(address from, address to, uint256 value) internal override {
        if (paused) revert EnforcedPause();
        super._move(from, to, value);
    }
}
